import type { Problem } from '../values/problem.js';
import { tokenLifetimeMs } from './key-generation.js';

/** How long an answer is kept. Equals the token lifetime, so old secret keys can be removed as soon as their tokens expire. */
export const answerLifetimeMs: number = tokenLifetimeMs;

/** What is wrong with an `Idempotency-Key`, or null. */
export function idempotencyKeyProblem(key: unknown): Problem | null {
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return null;
  const message = 'must be 1 to 255 printable ASCII characters';
  return { field: 'idempotencyKey', code: 'malformed', message };
}
