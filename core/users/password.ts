import type { Problem } from '../values/problem.js';
import type { Secret } from '../values/secret.js';

const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 1000;

/** What is wrong with a new password, or null. */
export function passwordProblem(
  password: Secret,
  field: 'password' | 'newPassword' = 'password',
): Problem | null {
  const { length } = password.reveal();
  if (length < MIN_PASSWORD_CHARACTERS)
    return { field, code: 'too-short', message: `must have at least ${MIN_PASSWORD_CHARACTERS} characters` };
  if (length > MAX_PASSWORD_CHARACTERS)
    return { field, code: 'too-long', message: `must have at most ${MAX_PASSWORD_CHARACTERS} characters` };
  return null;
}
