import type {
  Clock,
  IdentityProvider,
  PendingSignOn,
  ProviderIdentity,
  ProviderSettings,
} from '@rollcall/core';
import type { Configuration, IDToken } from 'openid-client';
import { type GuardedFetch, type GuardedFetchSettings, guardedFetch } from '../webhook/guarded-fetch.js';
import { failure, failureOf, Untrusted } from './failure.js';
import { algorithmsOf, type Metadata, missingIn, readMetadata } from './metadata.js';
import { createProviderKeys, type ProviderKeys } from './provider-keys.js';
import { readLogoutToken } from './read-logout-token.js';
import { isTokenText, tokenTextRule } from './token-text.js';

/** Loaded with the first sign-on: who has none loads nothing of it. */
const loadLibraries = async () => ({ openid: await import('openid-client'), jose: await import('jose') });

type Libraries = Awaited<ReturnType<typeof loadLibraries>>;

/** Clocks may differ by this. */
const TOLERANCE_SECONDS = 60;
/** Microsoft dates tokens back by five minutes. */
const MAX_TOKEN_AGE_SECONDS = 10 * 60;
/** What a provider says about itself is read again after this time. */
const MAX_METADATA_AGE_MS = 10 * 60_000;
/** For how many organizations something is kept: those whose provider was asked last. */
const MAX_KNOWN = 200;

export interface IdentityProviderSettings extends GuardedFetchSettings {
  readonly clock: Pick<Clock, 'now'>;
}

/** What is kept of the provider of one organization. */
interface Known {
  readonly issuer: string;
  readonly metadata: () => Promise<Metadata>;
  readonly keys: ProviderKeys;
}

/** Talks to identity providers with openid-client and jose, and reaches them only as guarded as webhooks. */
export function openidProvider({ clock, ...settings }: IdentityProviderSettings): IdentityProvider {
  const fetch = guardedFetch(settings);
  const now = (): number => clock.now().getTime();
  const known = new Map<number, Known>();
  const newlyKnown = (provider: ProviderSettings, { jose }: Libraries): Known => {
    const metadata = keptFor(MAX_METADATA_AGE_MS, now, () => readMetadata(fetch, provider));
    const keys = createProviderKeys({ fetch, jose, now }, async () => needed(await metadata(), 'jwks_uri'));
    return { issuer: provider.issuer, metadata, keys };
  };
  const knownOf = (provider: ProviderSettings, libraries: Libraries): Known => {
    const { organizationId, issuer } = provider;
    const kept = known.get(organizationId);
    const one = kept?.issuer === issuer ? kept : newlyKnown(provider, libraries);
    // The last one of a map is the one that was used last.
    known.delete(organizationId);
    known.set(organizationId, one);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size > MAX_KNOWN) known.delete(oldest);
    return one;
  };

  return {
    async check(provider) {
      try {
        const libraries = await loadLibraries();
        // What was kept may be what the owner has just corrected.
        known.delete(provider.organizationId);
        const { metadata: read, keys } = knownOf(provider, libraries);
        const metadata = await read();
        const missing = missingIn(metadata);
        const { jwks_uri: uri } = metadata;
        const hasKeys = uri === undefined || (await keys.read(uri)) > 0;
        return {
          problems: hasKeys ? missing : [...missing, 'It has no keys'],
          algorithms: algorithmsOf(metadata),
          namesIssuer: metadata.authorization_response_iss_parameter_supported ?? false,
          hasUserinfo: metadata.userinfo_endpoint !== undefined,
          hasLogout: metadata.backchannel_logout_supported ?? false,
        };
      } catch (error) {
        return failureOf(error);
      }
    },

    async begin(provider, { loginHint }) {
      try {
        const libraries = await loadLibraries();
        const { openid } = libraries;
        const metadata = await knownOf(provider, libraries).metadata();
        const [missing] = missingIn(metadata);
        if (missing !== undefined) {
          // The provider may be corrected at any time.
          known.delete(provider.organizationId);
          throw new Untrusted(missing);
        }
        const pending: PendingSignOn = {
          state: openid.randomState(),
          nonce: openid.randomNonce(),
          verifier: openid.randomPKCECodeVerifier(),
        };
        const { scopes_supported: scopes } = metadata;
        const wanted = ['openid', 'email', 'profile'].filter((one) => scopes?.includes(one) ?? true);
        const url = openid.buildAuthorizationUrl(configured(libraries, { provider, metadata, fetch, now }), {
          redirect_uri: provider.redirectUri,
          scope: wanted.join(' '),
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
          ...(provider.acr !== null && { acr_values: provider.acr }),
          ...(provider.hostedDomain !== null && { hd: provider.hostedDomain }),
          ...(loginHint !== null && { login_hint: loginHint }),
        });
        return { url: url.href, pending };
      } catch (error) {
        return failureOf(error);
      }
    },

    async finish(provider, { pending, query }) {
      const answer = new URLSearchParams(query);
      const names = [...answer.keys()];
      if (new Set(names).size !== names.length)
        return failure('not-asked', 'a parameter of the answer comes twice');
      if (answer.get('state') !== pending.state)
        return failure('not-asked', 'the state is not that of this sign-on');
      try {
        const libraries = await loadLibraries();
        const { metadata: read, keys } = knownOf(provider, libraries);
        const metadata = await read();
        checkIssuer(answer, metadata);
        const code = answer.get('error');
        if (code !== null) {
          const word = /^[\w.-]{1,60}$/.test(code) ? code : null;
          return failure('refused', `the provider refused: ${word ?? 'no code'}`, word);
        }
        const config = configured(libraries, { provider, metadata, fetch, now });
        return await exchange(libraries, { provider, metadata, config, keys, pending, answer, now: now() });
      } catch (error) {
        return withoutSecret(provider, await failureOf(error));
      }
    },

    async readLogout(provider, token) {
      try {
        const libraries = await loadLibraries();
        const { metadata, keys } = knownOf(provider, libraries);
        return await readLogoutToken(libraries.jose, {
          token,
          keys,
          algorithms: algorithmsOf(await metadata()),
          ...{ issuer: provider.issuer, clientId: provider.clientId, at: clock.now() },
          ...{ toleranceSeconds: TOLERANCE_SECONDS, maxAgeSeconds: MAX_TOKEN_AGE_SECONDS },
        });
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

/** Reads a value once for this time. What cannot be read is not kept. */
function keptFor<Value>(ms: number, now: () => number, read: () => Promise<Value>): () => Promise<Value> {
  let kept: { readonly value: Promise<Value>; readonly at: number } | null = null;
  return () => {
    if (kept !== null && now() - kept.at < ms) return kept.value;
    const fresh = { value: read(), at: now() };
    kept = fresh;
    fresh.value.catch(() => {
      if (kept === fresh) kept = null;
    });
    return fresh.value;
  };
}

function needed(metadata: Metadata, name: 'jwks_uri'): string {
  const value = metadata[name];
  if (value === undefined) throw new Untrusted(`the provider names no ${name}`);
  return value;
}

/** RFC 9207: an answer belongs to the provider that was asked. */
function checkIssuer(answer: URLSearchParams, metadata: Metadata): void {
  const { issuer, authorization_response_iss_parameter_supported: isAnnounced } = metadata;
  const named = answer.get('iss');
  if (named === null && isAnnounced) throw new Untrusted('the answer does not name its issuer');
  if (named !== null && named !== issuer) throw new Untrusted('the answer is of another issuer');
}

function configured(
  { openid }: Libraries,
  {
    provider,
    metadata,
    fetch,
    now,
  }: {
    readonly provider: ProviderSettings;
    readonly metadata: Metadata;
    readonly fetch: GuardedFetch;
    readonly now: () => number;
  },
): Configuration {
  const secret = provider.clientSecret.reveal();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authentication = methods.includes('client_secret_post')
    ? openid.ClientSecretPost(secret)
    : openid.ClientSecretBasic(secret);
  const config = new openid.Configuration(
    { ...metadata, id_token_signing_alg_values_supported: algorithmsOf(metadata) },
    provider.clientId,
    {
      client_secret: secret,
      // The library reads the machine's clock, and ours may be another one.
      [openid.clockSkew]: Math.round((now() - Date.now()) / 1000),
      [openid.clockTolerance]: TOLERANCE_SECONDS,
    },
    authentication,
  );
  config[openid.customFetch] = async (url, { method, headers, body }) => {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && body !== null && { body: String(body) }),
    });
    // Its signature would not be checked.
    if (/^application\/jwt\b/i.test(response.headers.get('content-type') ?? ''))
      throw new Untrusted('an answer is a token instead of JSON');
    return response;
  };
  return config;
}

/** Exchanges the code, and checks everything that the ID token must hold. */
async function exchange(
  { openid, jose }: Libraries,
  {
    provider,
    metadata,
    config,
    keys,
    pending,
    answer,
    now,
  }: {
    readonly provider: ProviderSettings;
    readonly metadata: Metadata;
    readonly config: Configuration;
    readonly keys: ProviderKeys;
    readonly pending: PendingSignOn;
    readonly answer: URLSearchParams;
    readonly now: number;
  },
): Promise<ProviderIdentity> {
  const url = new URL(provider.redirectUri);
  url.search = answer.toString();
  const tokens = await openid.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: pending.verifier,
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined || tokens.id_token === undefined) throw new Untrusted('there is no ID token');
  await jose.compactVerify(tokens.id_token, keys.find, { algorithms: algorithmsOf(metadata) });
  checkClaims(claims, { provider, at: now / 1000 });
  const more =
    metadata.userinfo_endpoint !== undefined && lacksClaims(claims)
      ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
      : {};
  const { sid } = claims;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    sid: isTokenText(sid) ? sid : null,
    claims: { ...more, ...claims },
  };
}

/** What the library does not check. */
function checkClaims(
  claims: IDToken,
  { provider, at }: { readonly provider: ProviderSettings; readonly at: number },
): void {
  const { sub, iat, azp, acr, hd } = claims;
  if (!isTokenText(sub)) throw new Untrusted(`the subject ${tokenTextRule}`);
  if (iat > at + TOLERANCE_SECONDS) throw new Untrusted('the ID token is from the future: check the clocks');
  if (iat < at - MAX_TOKEN_AGE_SECONDS - TOLERANCE_SECONDS) throw new Untrusted('the ID token is too old');
  if (azp !== undefined && azp !== provider.clientId)
    throw new Untrusted('the ID token was made for another client (azp)');
  if (provider.acr !== null && acr !== provider.acr)
    throw new Untrusted('the authentication context (acr) is not the one that is asked for');
  const domain = typeof hd === 'string' ? hd.toLowerCase() : null;
  if (provider.hostedDomain !== null && domain !== provider.hostedDomain)
    throw new Untrusted('the account is not of the domain of the organization (hd)');
}

/** Okta has the address and the names only at userinfo. */
function lacksClaims({ email, name, given_name, family_name }: IDToken): boolean {
  const hasName = name !== undefined || (given_name !== undefined && family_name !== undefined);
  return email === undefined || !hasName;
}

/** A provider may repeat what it was sent. */
function withoutSecret<Failed extends { readonly reason: string }>(
  { clientSecret }: ProviderSettings,
  failed: Failed,
): Failed {
  return { ...failed, reason: failed.reason.replaceAll(clientSecret.reveal(), '***') };
}
