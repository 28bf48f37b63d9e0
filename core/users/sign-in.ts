import { Refusal } from '../errors.js';
import type { Limit, User } from '../ports.js';
import { emailProblem, normalizeEmail } from '../values/email.js';
import type { Secret } from '../values/secret.js';
import type { World } from '../world.js';
import { type OpenedSession, openSession, wrongCredentials } from './session.js';

const perAccount: Limit = { name: 'sign-in-account', points: 10, seconds: 15 * 60 };
const perAddress: Limit = { name: 'sign-in-address', points: 100, seconds: 15 * 60 };

export interface SignIn {
  readonly email: string;
  readonly password: Secret;
  /** Where the attempt comes from; failures are counted for it and for the account. */
  readonly address: string;
}

/** Opens a session for whoever knows the password. An unknown address and a wrong password are answered alike. */
export async function signIn(
  world: Pick<World, 'users' | 'passwords' | 'limits' | 'sessions' | 'secrets' | 'clock'>,
  attempt: SignIn,
): Promise<OpenedSession> {
  return openSession(world, { ...(await checkPassword(world, attempt)), boundTo: null });
}

export interface CheckedPassword {
  readonly user: User;
  /** What the password was verified against; it may be changed by the time that this is read. */
  readonly passwordHash: string;
}

/** The user whose password this is. A failure is counted before the check, so that guessing in parallel gains nothing. */
export async function checkPassword(
  { users, passwords, limits }: Pick<World, 'users' | 'passwords' | 'limits'>,
  { email, password, address, otherwise }: SignIn & { readonly otherwise?: string },
): Promise<CheckedPassword> {
  // Cut to what an address may have: it names a counter before it is known to be one.
  const account = normalizeEmail(email).slice(0, 254);
  refuseWhileLimited(await limits.fail(perAddress, address));
  refuseWhileLimited(await limits.fail(perAccount, account));

  const user = emailProblem('email', account) === null ? await users.byEmail(account) : null;
  const hash = user === null ? null : await users.passwordHash(user.id);
  const matches = await passwords.verify({ password, hash });
  if (user === null || hash === null || !matches) throw wrongCredentials(otherwise);

  await limits.forgive(perAddress, address);
  await limits.forgive(perAccount, account);
  return { user, passwordHash: hash };
}

function refuseWhileLimited(seconds: number): void {
  if (seconds === 0) return;
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  throw new Refusal('too-many-requests', `Too many failed attempts; try again in ${wait}`, seconds);
}
