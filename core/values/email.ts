import type { Field, Problem } from './problem.js';
import { isStorable } from './text.js';

/**
 * Addresses are the same person's whatever their case, the spaces around them, and the way in which an accented
 * letter is written: as one character, or as a letter and a mark.
 */
export function normalizeEmail(address: string): string {
  const email = address.trim();
  // ASCII, as most are, has one form.
  return isAscii(email) ? email.toLowerCase() : email.normalize('NFC').toLowerCase().normalize('NFC');
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

/** What an address that was stored before looks like: in the one form, without characters that can't be seen. */
export function emailLook(address: string): string {
  return normalizeEmail(address.replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ''));
}

/** Words of characters that can be seen with single dots between: an invisible one would make two addresses look the same. */
const NAME =
  /^[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+(?:\.[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+)*$/u;
/** Labels of letters, digits and inner hyphens with dots between; beyond ASCII whatever can be seen. */
const HOST =
  /^(?:(?!-)(?:[a-z0-9-]|[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{ASCII}])+(?<!-)(?:\.(?!$)|$)){2,}$/u;

/**
 * What is wrong with an address, or null. An address in ASCII that passes is one of RFC 5321; others are addresses
 * for RFC 6531.
 */
export function emailProblem(field: Field, address: unknown): Problem | null {
  if (typeof address !== 'string') return { field, code: 'wrong-type', message: 'must be a string' };
  const email = normalizeEmail(address);
  if (email === '') return { field, code: 'empty', message: 'must not be empty' };
  if (email.length > 254) return { field, code: 'too-long', message: 'must have at most 254 characters' };
  const [name = '', host = '', ...rest] = email.split('@');
  const looksRight = rest.length === 0 && NAME.test(name) && HOST.test(host);
  if (!looksRight || !isStorable(email))
    return { field, code: 'malformed', message: 'must be an e-mail address such as dana@example.com' };
  return null;
}
