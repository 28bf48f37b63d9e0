import type { Uses } from '../../deps.js';
import { readDevice } from '../../values/device.js';
import type { Problem } from '../../values/problem.js';
import { refuseAny } from '../../values/problems.js';
import type { Secret } from '../../values/secret.js';
import { checkSecondFactor, type SecondFactorProof } from '../second-factor/check-second-factor.js';
import { hasSecondFactor, wrongSecondFactor } from '../second-factor/second-factor.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import { checkPassword, type SignIn } from '../sessions/check-password.js';
import type { CreatedSession } from '../sessions/create-session.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import { wrongCredentials } from '../sessions/wrong-credentials.js';
import { newPasswordProblem } from './password.js';
import { passwordChangedMails } from './password-changed-mails.js';

/** The request of `changePassword`. */
export interface ChangePassword extends ResumeSession, Pick<SignIn, 'device'> {
  /** The password to replace. */
  readonly currentPassword: Secret;
  /** Must keep the rules of `setPassword`. */
  readonly newPassword: Secret;
  /** The second factor of a user who has one: the new session counts as started with it. */
  readonly secondFactor?: SecondFactorProof | undefined;
  /** The IP address of the caller; wrong passwords are counted for it and for the account, as in `signIn`. */
  readonly address: string;
}

/**
 * Changes the password of a user who signed in with it and knows it. Ends every session of the user and gives the
 * caller a new one. Refused for a session that a login link started.
 *
 * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if a login link started it,
 * `invalid-request` for the new password, `wrong-credentials` for the current one, `wrong-second-factor`,
 * `too-many-requests` after too many wrong ones.
 */
export async function changePassword(
  deps: Uses<
    | 'mailer.send'
    | 'members.ofUser'
    | 'passwords.hash'
    | 'secrets.newToken'
    | 'users.replacePasswordHash'
    | typeof authorizeAccount
    | typeof checkPassword
    | typeof checkSecondFactor
    | typeof newPasswordProblem
  >,
  { session, currentPassword, newPassword, secondFactor, address, device }: ChangePassword,
): Promise<CreatedSession> {
  const { user: person } = await authorizeAccount(deps, { session });
  const memberships = await deps.members.ofUser(person.id);
  const organizations = memberships.map(({ organization }) => organization);
  const chosen = { password: newPassword, field: 'newPassword', person, organizations } as const;
  refuseAny([await newPasswordProblem(deps, chosen)]);

  const { email } = person;
  const attempt = { email, password: currentPassword, address, wrongReason: WRONG };
  const { user, passwordHash: from } = await checkPassword(deps, attempt);
  const hasFactor = hasSecondFactor(await deps.secondFactors.of(user.id));
  if (hasFactor && secondFactor === undefined) throw wrongSecondFactor();
  if (hasFactor && secondFactor !== undefined)
    await checkSecondFactor(deps, { user, proof: secondFactor, address });

  const to = await deps.passwords.hash(newPassword);
  const { token, hash } = deps.secrets.newToken('session');
  const at = deps.clock.now();
  const started = { hash, userId: user.id, boundTo: null, hasSecondFactor: hasFactor, createdAt: at };
  const fresh = { ...started, device: readDevice(device) };
  const mails = passwordChangedMails(deps, { email, at });
  const replaced = await deps.users.replacePasswordHash({ from, to, session: fresh, mails });
  // Someone has added or removed a second factor meanwhile, or changed the password.
  if (!replaced && (await deps.users.passwordHash(user.id)) === from) throw wrongSecondFactor();
  if (!replaced) throw wrongCredentials(WRONG);
  return { session: token, user, boundTo: null };
}

const WRONG: readonly Problem[] = [{ field: 'currentPassword', code: 'wrong', message: 'is wrong' }];
