import { isStorable } from './text.js';

/** Addresses are the same person's whatever their case and the spaces around them (decision 17). */
export function normalizeEmail(address: string): string {
  return address.trim().toLowerCase();
}

/** What is wrong with an address, in words that name the field, or null. */
export function emailProblem(field: string, address: unknown): string | null {
  if (typeof address !== 'string') return `${field} must be a string`;
  const email = normalizeEmail(address);
  if (email === '') return `${field} must not be empty`;
  if (email.length > 254) return `${field} must have at most 254 characters`;
  const looksRight =
    /^[^\s@"(),:;<>[\]\\\p{Cc}]+@[^\s@"(),:;<>[\]\\\p{Cc}.]+(\.[^\s@"(),:;<>[\]\\\p{Cc}.]+)+$/u.test(email);
  if (!looksRight || !isStorable(email)) return `${field} must be an e-mail address such as dana@example.com`;
  return null;
}
