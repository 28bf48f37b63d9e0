import type { Uses } from '../../deps.js';
import { refusal } from '../../errors.js';
import type { PasswordReset } from '../ports/password-resets.js';

/** How long a link to set a new password works, from the attempt to send it. */
export const passwordResetLifetimeMs = 30 * 60 * 1000;

/** Finds a link that still works, with its hash. Throws a `Refusal` otherwise. */
export async function findUsablePasswordReset(
  { clock, passwordResets, secrets }: Uses<'clock.now' | 'passwordResets.find' | 'secrets.tokenHash'>,
  token: string,
): Promise<PasswordReset & { readonly hash: string }> {
  const hash = secrets.tokenHash('password-reset', token);
  const reset = hash === null ? null : await passwordResets.find(hash);
  if (hash === null || reset === null || reset.expiresAt <= clock.now()) throw passwordResetEnded();
  return { ...reset, hash };
}

/** One answer for all reasons: a used link is deleted, so that it can't be told from one that never existed. */
export const passwordResetEnded = refusal('password-reset-ended', 'This link no longer works');
