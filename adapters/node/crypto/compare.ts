import { timingSafeEqual } from 'node:crypto';

/** Compares texts in constant time, which does not reveal where they differ. Their lengths are not secret. */
export function sameText(one: string, other: string): boolean {
  const a = Buffer.from(one, 'utf8');
  const b = Buffer.from(other, 'utf8');
  return a.length === b.length && timingSafeEqual(a, b);
}
