import { isIP } from 'node:net';
import { Secret } from '@rollcall/core';
import { checkTimeZone, emailProblem } from '@rollcall/core/rules';
import { readNetworks } from '@rollcall/node';
import type { LogLevel } from '@rollcall/node/log';
import { checkSentryDsn } from '@rollcall/node/sentry';
import { hexColor, logoFile } from './brand.js';
import { certificateFile } from './certificates.js';
import { configuredDatabase, replicaAddress } from './database-url.js';
import { refuse } from './invalid-value.js';

/** The text of a variable, or an option. */
export type Given = string | number | readonly string[];

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a variable holds. */
export interface Schema {
  readonly type: 'integer' | 'string';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
}

/** Reads a single value. Throws if it is not allowed. */
type Rule<Value> = (
  given: Given,
  context: { readonly schema: Schema; readonly environment: Environment },
) => Value;

/** A number is read as its digits. */
function text<Value>(read: (text: string, environment: Environment) => Value): Rule<Value> {
  return (given, { environment }) => read(String(given), environment);
}

function integer(given: Given, { schema }: { readonly schema: Schema }): number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const number = Number(given);
  return Number.isInteger(number) && number >= minimum && number <= maximum ? number : refuse();
}

function logLevel(given: Given, { schema }: { readonly schema: Schema }): LogLevel {
  return (schema.enum?.find((level) => level === given) as LogLevel | undefined) ?? refuse();
}

function listOf(given: Given): readonly string[] {
  return [given]
    .flat()
    .flatMap((one) => String(one).split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function brandName(text: string): string {
  const isValid = text.length <= 50 && /^[A-Za-z0-9]+(?:[ -]+[A-Za-z0-9]+)*$/.test(text);
  return isValid && !text.includes('  ') ? text : refuse();
}

/** How the data names meetings on a platform. */
export function locationLiteral(name: string): string {
  return name.replaceAll(' ', '-').toLowerCase();
}

function hostName(text: string): string {
  return isIP(text) !== 0 || /^(?=.{1,253}$)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(text) ? text : refuse();
}

function baseUrl(text: string): string {
  const url = new URL(text);
  const plain = `${url.protocol}//${url.host}${url.pathname}`;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse();
  const isPlain = url.href === plain && !/[?#]/.test(text) && /^(?:\/[\w.~-]+)*\/?$/.test(url.pathname);
  return isPlain ? url.href.replace(/\/$/, '') : refuse();
}

function webUrl(text: string): string {
  const { protocol, username, password, href } = new URL(text);
  if (username !== '' || password !== '') return refuse('it has a user name or a password');
  return /^https?:$/.test(protocol) ? href : refuse();
}

/** Not in the host: a meeting's number must not choose where a link leads. */
function meetingUrl(text: string): string {
  const [before = '', ...after] = text.split('{id}');
  const isAfterHost = /^https?:\/\/[^/?#]+[/?#]/i.test(before);
  if (after.length !== 1 || !isAfterHost) return refuse();
  webUrl(`${before}1${after[0]}`);
  return text;
}

function sentryDsn(text: string): Secret {
  checkSentryDsn(text);
  return new Secret(text);
}

/** `smtps` is encrypted from the start; `smtp` is as soon as the server offers it. */
function smtpUrl(text: string): Secret {
  const url = new URL(text);
  const isPlain = /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '';
  if (!/^smtps?:$/.test(url.protocol) || url.hostname === '' || !isPlain) return refuse();
  if (url.password !== '' && url.username === '') return refuse('it has a password without a user name');
  return new Secret(text);
}

function emailAddress(text: string): string {
  return emailProblem('email', text) === null ? text : refuse();
}

function secret(text: string): Secret {
  return text.length >= 32 ? new Secret(text) : refuse(`a key of ${text.length} characters is too short`);
}

/** Each key of an array is one, also if it contains a comma. */
function secrets(given: Given): readonly Secret[] {
  return (Array.isArray(given) ? given : listOf(given)).map(secret);
}

function accessKeyDigits(text: string): string {
  return /^[0-9]{1,6}$/.test(text) ? text : refuse('it is not 1 to 6 digits');
}

const MIN_TOKEN_CHARACTERS = 32;

/** Only the characters that a bearer token can have. */
function token(text: string): Secret {
  if (!/^[\w.~+/-]+=*$/.test(text)) return refuse('the token has characters that a bearer token cannot have');
  return text.length >= MIN_TOKEN_CHARACTERS
    ? new Secret(text)
    : refuse(`a token of ${text.length} characters is too short`);
}

function networks(given: Given): readonly string[] {
  const list = listOf(given);
  readNetworks(list);
  return list;
}

/** `true` is refused: it would trust any address that a client sends. */
function trustedProxies(given: Given): number | readonly string[] {
  if (/^(?:[1-9]|10)$/.test(String(given))) return Number(given);
  const entries = listOf(given);
  const isEntry = (entry: string): boolean =>
    ['loopback', 'linklocal', 'uniquelocal'].includes(entry) || isIP(entry) !== 0 || isNetwork(entry);
  if (/^true$/i.test(String(given))) refuse('"true" would trust any address that a client sends');
  return entries.length > 0 && entries.every(isEntry) ? entries : refuse();
}

function isNetwork(text: string): boolean {
  try {
    readNetworks([text]);
    return true;
  } catch {
    return false;
  }
}

/** How settings are read. */
export const rules = {
  accessKeyDigits: text(accessKeyDigits),
  baseUrl: text(baseUrl),
  brandName: text(brandName),
  certificateFile: text(certificateFile),
  database: text(configuredDatabase),
  emailAddress: text(emailAddress),
  hexColor: text(hexColor),
  hostName: text(hostName),
  hostNames: text((list) => listOf(list).map(hostName)),
  integer,
  location: text((name) => locationLiteral(brandName(name))),
  logLevel,
  logoFile: text(logoFile),
  meetingUrl: text(meetingUrl),
  networks,
  replica: text(replicaAddress),
  secret: text(secret),
  secrets,
  sentryDsn: text(sentryDsn),
  smtpUrl: text(smtpUrl),
  timeZone: text(checkTimeZone),
  token: text(token),
  trustedProxies,
  webUrl: text(webUrl),
} as const satisfies Readonly<Record<string, Rule<unknown>>>;

export type Rules = typeof rules;
