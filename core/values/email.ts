import { isStorable } from './text.js';

/** Addresses are the same person's whatever their case and the spaces around them (decision 17). */
export function normalizeEmail(address: string): string {
  return address.trim().toLowerCase();
}

/** Words of characters that can be seen with single dots between: an invisible one would make two addresses look the same. */
const NAME = /^[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}]+(?:\.[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}]+)*$/u;
/** Labels of letters, digits and inner hyphens with dots between; beyond ASCII whatever can be seen. */
const HOST = /^(?:(?!-)(?:[a-z0-9-]|[^\s\p{Cc}\p{Cf}\p{ASCII}])+(?<!-)(?:\.(?!$)|$)){2,}$/u;

/**
 * What is wrong with an address, in words that name the field, or null. An address in ASCII that passes is one
 * of RFC 5321; others are addresses for RFC 6531.
 */
export function emailProblem(field: string, address: unknown): string | null {
  if (typeof address !== 'string') return `${field} must be a string`;
  const email = normalizeEmail(address);
  if (email === '') return `${field} must not be empty`;
  if (email.length > 254) return `${field} must have at most 254 characters`;
  const [name = '', host = '', ...rest] = email.split('@');
  const looksRight = rest.length === 0 && NAME.test(name) && HOST.test(host);
  if (!looksRight || !isStorable(email)) return `${field} must be an e-mail address such as dana@example.com`;
  return null;
}
