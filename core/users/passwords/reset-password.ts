import type { Uses } from '../../deps.js';
import { refuseAny } from '../../values/problems.js';
import type { Secret } from '../../values/secret.js';
import { forgetFailures } from '../sessions/check-password.js';
import type { User } from '../user.js';
import { newPasswordProblem } from './password.js';
import { passwordChangedMails } from './password-changed-mails.js';
import { findUsablePasswordReset, passwordResetEnded } from './password-reset.js';
import type { ReadPasswordReset } from './read-password-reset.js';

/** The request of `resetPassword`. */
export interface ResetPassword extends ReadPasswordReset {
  /** Must keep the rules of `setPassword`. */
  readonly newPassword: Secret;
}

/**
 * Sets a new password with a link from a mail, once, and ends the user's sessions. It can be used at once, however many
 * wrong passwords there were before.
 *
 * @throws `Refusal`: `password-reset-ended`; `invalid-request` for the new password.
 */
export async function resetPassword(
  deps: Uses<
    | 'limits.clear'
    | 'mailer.send'
    | 'members.ofUser'
    | 'passwordResets.redeem'
    | 'passwords.hash'
    | typeof findUsablePasswordReset
    | typeof newPasswordProblem
  >,
  { token, newPassword }: ResetPassword,
): Promise<User> {
  const { hash, user: person } = await findUsablePasswordReset(deps, token);
  const memberships = await deps.members.ofUser(person.id);
  const organizations = memberships.map(({ organization }) => organization);
  const chosen = { password: newPassword, field: 'newPassword', person, organizations } as const;
  refuseAny([await newPasswordProblem(deps, chosen)]);

  const passwordHash = await deps.passwords.hash(newPassword);
  await forgetFailures(deps, person);
  const at = deps.clock.now();
  const mails = passwordChangedMails(deps, { email: person.email, at });
  if (!(await deps.passwordResets.redeem({ hash, at, passwordHash, mails }))) throw passwordResetEnded();
  return person;
}
