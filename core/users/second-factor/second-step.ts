// biome-ignore-all lint/complexity/noThisInStatic: a class that extends this recognises its own errors only.
import type { Uses } from '../../deps.js';
import { Refusal, refusal } from '../../errors.js';
import { Secret } from '../../values/secret.js';
import type { User } from '../user.js';
import { secondStepLifetimeMs } from './check-second-factor.js';
import { hasSecondFactor } from './second-factor.js';

/**
 * A sign-in whose password was right. Keep it where only the person's browser can return it unchanged, such as an encrypted
 * cookie, for ten minutes.
 */
export interface PendingSignIn {
  /** The user whose password it was. */
  readonly userId: number;
  /** The address of the user at that time. */
  readonly email: string;
  /** Says that the password is still the one that was right, without saying anything about it. */
  readonly passwordMark: string;
  /** Random; the mark is made with it. */
  readonly markKey: string;
  /** When the password was checked, in milliseconds since 1970. */
  readonly startedAt: number;
  /** How the session begins: as in `SignedIn`. */
  readonly by: 'password' | 'invitation';
}

const MARK = Symbol.for('@rollcall/core/SecondStepRequired');

/** Thrown after a right password, for a user who has a second factor. `passSecondStep` goes on with `pending`. */
export class SecondStepRequired extends Refusal {
  /** Recognises the errors of other copies of the core as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.hasOwn(this, Symbol.hasInstance)
      ? Object(value)[MARK] === true
      : super[Symbol.hasInstance](value);
  }

  /** What `passSecondStep` needs. */
  readonly pending: PendingSignIn;

  constructor(pending: PendingSignIn) {
    super('second-step-required', 'The password is right; now give your second factor');
    Object.defineProperty(this, MARK, { value: true });
    this.pending = pending;
  }
}

/** Throws `SecondStepRequired` if the user has a second factor. */
export async function requireSecondStep(
  deps: Uses<'clock.now' | 'ids.uuid' | 'secondFactors.of' | 'secrets.sign'>,
  {
    user,
    passwordHash,
    by,
  }: { readonly user: Pick<User, 'id' | 'email'>; readonly passwordHash: string } & Pick<PendingSignIn, 'by'>,
): Promise<void> {
  if (!hasSecondFactor(await deps.secondFactors.of(user.id))) return;
  const markKey = deps.ids.uuid();
  throw new SecondStepRequired({
    ...{
      userId: user.id,
      email: user.email,
      by,
      markKey,
      passwordMark: passwordMark(deps, { passwordHash, markKey }),
    },
    startedAt: deps.clock.now().getTime(),
  });
}

/** The same for the same hash and key only. The hash itself leaves the service in no form. */
function passwordMark(
  { secrets }: Uses<'secrets.sign'>,
  { passwordHash, markKey }: { readonly passwordHash: string } & Pick<PendingSignIn, 'markKey'>,
): string {
  return secrets.sign({ body: passwordHash, secret: new Secret(markKey) });
}

/** The user of a sign-in that waits for the second step. Refuses if it has ended. */
export async function pendingUser(
  deps: Uses<'clock.now' | 'secrets.sign' | 'users.byEmail' | 'users.passwordHash'>,
  { userId, email, startedAt, ...pending }: PendingSignIn,
): Promise<{ readonly user: User; readonly passwordHash: string }> {
  if (deps.clock.now().getTime() - startedAt > secondStepLifetimeMs) throw secondStepEnded();
  const [user, passwordHash] = await Promise.all([
    deps.users.byEmail(email),
    deps.users.passwordHash(userId),
  ]);
  if (user?.id !== userId || passwordHash === null) throw secondStepEnded();
  if (passwordMark(deps, { ...pending, passwordHash }) !== pending.passwordMark) throw secondStepEnded();
  return { user, passwordHash };
}

export const secondStepEnded = refusal(
  'second-step-ended',
  'This sign-in has expired or the password has changed: start again',
);
