import type { Secret } from '../values/secret.js';

const SHORTEST_PASSWORD = 8;
const LONGEST_PASSWORD = 1000;

/** What is wrong with a password that somebody chooses, or null. */
export function passwordProblem(password: Secret, field = 'password'): string | null {
  const { length } = password.reveal();
  if (length < SHORTEST_PASSWORD) return `${field} must have at least ${SHORTEST_PASSWORD} characters`;
  if (length > LONGEST_PASSWORD) return `${field} must have at most ${LONGEST_PASSWORD} characters`;
  return null;
}
