import type { Uses } from '../../deps.js';
import { type CreatedSession, createSession } from '../sessions/create-session.js';
import { recordSignedIn } from '../sessions/record-signed-in.js';
import { checkSecondFactor, type SecondFactorProof } from './check-second-factor.js';
import { type PendingSignIn, pendingUser, secondStepEnded } from './second-step.js';

/** The request of `passSecondStep`. */
export interface PassSecondStep {
  /** What `SecondStepRequired` said, as the person's browser has kept it. */
  readonly pending: PendingSignIn;
  /** What the person gives now. */
  readonly proof: SecondFactorProof;
  /** The IP address of the caller; wrong ones are counted for it and for the account, as in `signIn`. */
  readonly address: string;
  /** As in `SignIn`. */
  readonly device?: string | undefined;
}

/**
 * Starts a session for a user whose password was right, and who now gives the second factor.
 *
 * @throws `Refusal`: `second-step-ended` if the password was given too long ago or has changed since;
 * `wrong-second-factor`; `too-many-requests` after too many wrong ones.
 */
export async function passSecondStep(
  deps: Uses<typeof checkSecondFactor | typeof createSession | typeof pendingUser>,
  { pending, proof, address, device }: PassSecondStep,
): Promise<CreatedSession> {
  const { user, passwordHash } = await pendingUser(deps, pending);
  await checkSecondFactor(deps, { user, proof, address });
  const created = await createSession(deps, {
    ...{ user, boundTo: null, passwordHash, hasSecondFactor: true, device, refusal: secondStepEnded },
  });
  return recordSignedIn(deps, created, { by: pending.by, address });
}
