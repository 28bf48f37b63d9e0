import type { Organization } from './ports/organizations.js';

/** How long a token is valid: one day. */
export const tokenLifetimeMs = 24 * 60 * 60 * 1000;

/** Whether the access key of this generation, and its tokens, work at this time: the current key, or the previous one. */
export function isValidGeneration(
  { accessKeyGeneration, previousAccessKey }: Organization,
  generation: number,
  at: Date,
): boolean {
  if (generation === accessKeyGeneration) return true;
  return previousAccessKey?.generation === generation && previousAccessKey.until > at;
}
