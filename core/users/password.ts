import type { Secret } from '../values/secret.js';

const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 1000;

/** What is wrong with a new password, or null. */
export function passwordProblem(password: Secret, field = 'password'): string | null {
  const { length } = password.reveal();
  if (length < MIN_PASSWORD_CHARACTERS)
    return `${field} must have at least ${MIN_PASSWORD_CHARACTERS} characters`;
  if (length > MAX_PASSWORD_CHARACTERS)
    return `${field} must have at most ${MAX_PASSWORD_CHARACTERS} characters`;
  return null;
}
