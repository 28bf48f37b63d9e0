import type { ProviderSettings } from '@rollcall/core';
import { FetchFailure, type GuardedFetch } from '../webhook/guarded-fetch.js';
import { Untrusted } from './failure.js';

/** What a provider says about itself, as far as it is used. */
export interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly jwks_uri?: string;
  readonly userinfo_endpoint?: string;
  readonly id_token_signing_alg_values_supported?: string[];
  readonly token_endpoint_auth_methods_supported?: string[];
  readonly code_challenge_methods_supported?: string[];
  readonly response_types_supported?: string[];
  readonly scopes_supported?: string[];
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly backchannel_logout_supported?: boolean;
}

const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const;
const lists = [
  'id_token_signing_alg_values_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'response_types_supported',
  'scopes_supported',
] as const;
const flags = ['authorization_response_iss_parameter_supported', 'backchannel_logout_supported'] as const;

/** `Ed25519` is another name of EdDSA with the only curve of it that is in use. */
const ACCEPTED = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** The algorithms of ID tokens and logout tokens that are accepted from this provider. */
export function algorithmsOf({
  id_token_signing_alg_values_supported: offered = ['RS256'],
}: Metadata): string[] {
  const isEdwards = offered.includes('EdDSA') || offered.includes('Ed25519');
  return ACCEPTED.filter((one) => (one.startsWith('Ed') ? isEdwards : offered.includes(one)));
}

/** What has to be there for sign-on, and is not. */
export function missingIn(metadata: Metadata): readonly string[] {
  const { code_challenge_methods_supported: challenges, response_types_supported: types } = metadata;
  const { token_endpoint_auth_methods_supported: methods, scopes_supported: scopes } = metadata;
  return [
    ...endpoints.slice(0, 3).flatMap((name) => (metadata[name] === undefined ? [`It names no ${name}`] : [])),
    algorithmsOf(metadata).length > 0 ? [] : 'It signs ID tokens with none of RS256, PS256, ES256 and EdDSA',
    challenges === undefined || challenges.includes('S256') ? [] : 'It does not support PKCE with S256',
    types === undefined || types.includes('code') ? [] : 'It does not support the response type code',
    scopes === undefined || scopes.includes('openid') ? [] : 'It does not support the scope openid',
    methods === undefined || methods.some((one) => one.startsWith('client_secret_'))
      ? []
      : 'It accepts no client secret',
  ].flat();
}

/** Reads the metadata of the issuer, which must be exactly the configured one. */
export async function readMetadata(
  fetch: GuardedFetch,
  { issuer }: Pick<ProviderSettings, 'issuer'>,
): Promise<Metadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const json = await readJson(fetch, url, 'its metadata');
  if (json.issuer !== issuer)
    throw new Untrusted(`the metadata at this address is of another issuer: ${shown(json.issuer)}`);
  const entries = [
    ...endpoints.map((name) => [name, endpoint(name, json[name])] as const),
    ...lists.map((name) => [name, texts(json[name])] as const),
    ...flags.map((name) => [name, json[name] === true ? true : undefined] as const),
  ];
  return { issuer, ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
}

export async function readJson(
  fetch: GuardedFetch,
  url: string,
  what: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const response = await fetch(url, { method: 'GET', headers: { accept: 'application/json' } });
    if (response.status !== 200) throw new Untrusted(`${what} cannot be read: answered ${response.status}`);
    const json: unknown = JSON.parse(await response.text());
    if (typeof json === 'object' && json !== null && !Array.isArray(json))
      return json as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof FetchFailure) throw new FetchFailure(error.kind, `${what}: ${error.message}`);
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Untrusted(`${what} is not a JSON object`);
}

function endpoint(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && /^https:\/\//i.test(value) && URL.canParse(value)) return value;
  throw new Untrusted(`${name} is not an https URL`);
}

function texts(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((one) => typeof one === 'string');
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : 'none';
}
