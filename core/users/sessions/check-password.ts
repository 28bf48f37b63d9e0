import type { Uses } from '../../deps.js';
import { emailProblem, normalizeEmail } from '../../values/email.js';
import type { Problem } from '../../values/problem.js';
import type { Secret } from '../../values/secret.js';
import type { User } from '../user.js';
import { accountLimit, countedAttempt } from './failed-sign-ins.js';
import { wrongCredentials } from './wrong-credentials.js';

/** The request of `signIn`. */
export interface SignIn {
  /** As received, in any case. An address that no user has is refused like a wrong password. */
  readonly email: string;
  /** As received. It is compared with the stored hash and kept nowhere. */
  readonly password: Secret;
  /** The IP address that the attempt comes from; failures are counted for it (see `networkOf`) and for the account. */
  readonly address: string;
  /**
   * The browser and the system of the caller, such as `Firefox on Android`, for the list of sessions. One line of at most 60
   * characters; anything else is not stored.
   */
  readonly device?: string | undefined;
}

export interface CheckedPassword {
  readonly user: User;
  /** The hash that the password was verified against; it may have changed since. */
  readonly passwordHash: string;
}

/**
 * Returns the user if the password is right. Each attempt counts as failed just before the password is checked, so that
 * guessing in parallel gains nothing. The count is taken back if the password was right or was not checked: only wrong
 * passwords count. `wrongReason` is the reason of the refusal when the address or the password is wrong.
 */
export async function checkPassword(
  deps: Uses<'passwords.verify' | 'users.byEmail' | 'users.passwordHash' | typeof countedAttempt>,
  { email, password, address, wrongReason }: SignIn & { readonly wrongReason?: string | readonly Problem[] },
): Promise<CheckedPassword> {
  // Cut to the maximum length of an address, because it names a counter before it is checked.
  const account = normalizeEmail(email).slice(0, 254);
  const isAddress = emailProblem('email', account) === null;
  const attempt = countedAttempt(deps, { account, address });
  await attempt.check();
  let found: { readonly [Key in keyof CheckedPassword]: CheckedPassword[Key] | null } = {
    user: null,
    passwordHash: null,
  };
  const findHash = async (): Promise<string | null> => {
    await attempt.count();
    const user = isAddress ? await deps.users.byEmail(account) : null;
    const passwordHash = user === null ? null : await deps.users.passwordHash(user.id);
    found = { user, passwordHash };
    return passwordHash;
  };
  const matches = await deps.passwords.verify({ password, hash: findHash }).catch(async (error: unknown) => {
    // If this fails too, the first error is the one to report.
    await attempt.takeBack().catch(() => {});
    throw error;
  });
  const { user, passwordHash } = found;
  if (!matches || user === null || passwordHash === null) {
    attempt.recordFailed();
    throw wrongCredentials(wrongReason);
  }
  await attempt.takeBack();
  return { user, passwordHash };
}

/** Checks the password of this user, as `checkPassword` does, and starts nothing. */
export async function checkPasswordOf(
  deps: Uses<typeof checkPassword>,
  { id, email }: Pick<User, 'id' | 'email'>,
  given: Pick<Parameters<typeof checkPassword>[1], 'password' | 'address' | 'wrongReason'>,
): Promise<void> {
  const { user } = await checkPassword(deps, { email, ...given });
  // The address is someone else's by now.
  if (user.id !== id) throw wrongCredentials(given.wrongReason);
}

/**
 * Forgets the wrong passwords of an account. Called before a new one is set for someone who does not know the old one: if it
 * fails, nothing was changed, and the link that was used still works.
 */
export async function forgetFailures(
  { limits }: Uses<'limits.clear'>,
  { email }: Pick<User, 'email'>,
): Promise<void> {
  await limits.clear(accountLimit, normalizeEmail(email));
}
