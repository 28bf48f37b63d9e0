import { isIP } from 'node:net';
import { Secret } from '@rollcall/core';
import { emailProblem } from '@rollcall/core/rules';
import { readNetworks } from '@rollcall/node';
import { checkSentryDsn } from '@rollcall/node/sentry';
import { refuse } from './invalid-value.js';

// Each function here reads a single value, and throws if the text is not allowed.

export function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function hostName(text: string): string {
  return isIP(text) !== 0 || /^(?=.{1,253}$)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(text) ? text : refuse();
}

export function baseUrl(text: string): string {
  const url = new URL(text);
  const plain = `${url.protocol}//${url.host}${url.pathname}`;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse();
  const isPlain = url.href === plain && !/[?#]/.test(text) && /^(?:\/[\w.~-]+)*\/?$/.test(url.pathname);
  return isPlain ? url.href.replace(/\/$/, '') : refuse();
}

export function sentryDsnText(text: string): Secret {
  checkSentryDsn(text);
  return new Secret(text);
}

/** `smtps` is encrypted from the start; `smtp` is as soon as the server offers it. */
export function smtpUrl(text: string): Secret {
  const url = new URL(text);
  const isPlain = /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '';
  if (!/^smtps?:$/.test(url.protocol) || url.hostname === '' || !isPlain) return refuse();
  if (url.password !== '' && url.username === '') return refuse('it has a password without a user name');
  return new Secret(text);
}

export function emailAddress(text: string): string {
  return emailProblem('email', text) === null ? text : refuse();
}

export function secretText(text: string): Secret {
  return text.length >= 32 ? new Secret(text) : refuse(`a key of ${text.length} characters is too short`);
}

export function accessKeyDigits(text: string): string {
  return /^[0-9]{1,6}$/.test(text) ? text : refuse('it is not 1 to 6 digits');
}

const MIN_TOKEN_CHARACTERS = 32;

/** Only the characters that a bearer token can have. */
export function tokenText(text: string): Secret {
  if (!/^[\w.~+/-]+=*$/.test(text)) return refuse('the token has characters that a bearer token cannot have');
  return text.length >= MIN_TOKEN_CHARACTERS
    ? new Secret(text)
    : refuse(`a token of ${text.length} characters is too short`);
}

export function networkList(text: string): readonly string[] {
  const networks = listOf(text);
  readNetworks(networks);
  return networks;
}

/** `true` is refused: it would trust any address that a client sends. */
export function trustedProxies(text: string): number | readonly string[] {
  if (/^(?:[1-9]|10)$/.test(text)) return Number(text);
  const entries = listOf(text);
  const isEntry = (entry: string): boolean =>
    ['loopback', 'linklocal', 'uniquelocal'].includes(entry) || isIP(entry) !== 0 || isNetwork(entry);
  if (/^true$/i.test(text)) refuse('"true" would trust any address that a client sends');
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
