import type { Uses } from '../../deps.js';
import { checkProof, type SignOnProof } from './check-proof.js';
import type { SignOnConfirmation } from './finish-sign-on.js';
import { isTooOld } from './identify.js';
import { notAdmitted, signOnEnded } from './sign-on.js';

/** The request of `proveSignOn`. */
export interface ProveSignOn {
  /** What `finishSignOn` returned, as the person's browser has kept it. */
  readonly confirmation: SignOnConfirmation;
  /** The password of the member's account, or the code that `mailSignOnCode` mailed to them. */
  readonly proof: SignOnProof;
  /** The IP address of the caller; wrong passwords are counted for it, and wrong codes for the member. */
  readonly address: string;
}

/**
 * Checks that the person is the member who they say they are. Returns the confirmation that says so, to be kept as the one
 * before it: nobody is told before whether that member has a second factor, and which.
 *
 * @throws `Refusal`: `sign-on-not-admitted`; `sign-on-ended`; `wrong-credentials`; `too-many-requests` after too many wrong passwords or codes.
 */
export async function proveSignOn(
  deps: Parameters<typeof checkProof>[0] & Uses<'clock.now' | 'members.byUserId'>,
  request: ProveSignOn,
): Promise<SignOnConfirmation> {
  const { organizationId, userId } = request.confirmation;
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw notAdmitted();
  if (isTooOld(deps, request.confirmation)) throw signOnEnded();
  await checkProof(deps, member, request);
  return { ...request.confirmation, code: null, isProved: true };
}
