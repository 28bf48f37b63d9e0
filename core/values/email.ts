import type { Field, Problem } from './problem.js';
import { isStorable } from './text.js';

/**
 * The form in which addresses are stored and compared: in lower case, without spaces around it, and with each accented
 * letter as one character (NFC).
 */
export function normalizeEmail(address: string): string {
  const email = address.trim();
  // Most addresses are ASCII, which needs no normalization.
  return isAscii(email) ? email.toLowerCase() : email.normalize('NFC').toLowerCase().normalize('NFC');
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

/** How a stored address looks to a reader: normalized and without invisible characters. */
export function emailLook(address: string): string {
  return normalizeEmail(address.replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ''));
}

/**
 * Words of visible characters, separated by single dots. An invisible character could make two different addresses look
 * the same.
 */
const NAME =
  /^[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+(?:\.[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+)*$/u;
/** Labels of letters, digits, inner hyphens and visible non-ASCII characters, separated by dots. */
const HOST =
  /^(?:(?!-)(?:[a-z0-9-]|[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{ASCII}])+(?<!-)(?:\.(?!$)|$)){2,}$/u;

/**
 * What is wrong with an address, or null. An ASCII address that passes is valid under RFC 5321; any other is valid
 * under RFC 6531.
 */
export function emailProblem(field: Field, address: unknown): Problem | null {
  if (typeof address !== 'string') return { field, code: 'wrong-type', message: 'must be a string' };
  const email = normalizeEmail(address);
  if (email === '') return { field, code: 'empty', message: 'must not be empty' };
  if (email.length > 254) return { field, code: 'too-long', message: 'must have at most 254 characters' };
  const [name = '', host = '', ...rest] = email.split('@');
  const isWellFormed = rest.length === 0 && NAME.test(name) && HOST.test(host);
  if (!isWellFormed || !isStorable(email))
    return { field, code: 'malformed', message: 'must be an email address such as dana@example.com' };
  return null;
}
