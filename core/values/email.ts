import { encodedHost, readHost } from './host.js';
import type { Field, Problem } from './problem.js';
import { isStorable } from './text.js';

/**
 * The form in which addresses are stored and compared: in lower case, without spaces around it, with each accented letter
 * as one character (NFC), and with the host as people read it (see `readHost`).
 */
export function normalizeEmail(address: string): string {
  const email = address.trim();
  // Most addresses are ASCII, which needs no normalization.
  if (isAscii(email) && !/xn--/i.test(email)) return email.toLowerCase();
  const host = readHost(email.slice(email.lastIndexOf('@') + 1));
  if (host === null) return normalized(email);
  return normalized(email.slice(0, email.lastIndexOf('@') + 1)) + host;
}

function normalized(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** Normalized addresses, and those with a host beyond ASCII also as DNS has it: texts of others may name either. */
export function emailForms(emails: readonly string[]): readonly string[] {
  return emails.flatMap((email) => [email, encodedEmail(email) ?? []].flat());
}

/** The address with the host encoded for DNS; null: it is the same. */
function encodedEmail(email: string): string | null {
  const at = email.lastIndexOf('@') + 1;
  const host = encodedHost(email.slice(at));
  return host === null || host === email.slice(at) ? null : email.slice(0, at) + host;
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
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
  if (Math.max(email.length, encodedEmail(email)?.length ?? 0) > 254)
    return { field, code: 'too-long', message: 'must have at most 254 characters' };
  const [name = '', host = '', ...rest] = email.split('@');
  const isWellFormed = rest.length === 0 && NAME.test(name) && HOST.test(host) && readHost(host) === host;
  if (!isWellFormed || !isStorable(email))
    return { field, code: 'malformed', message: 'must be an email address such as dana@example.com' };
  return null;
}
