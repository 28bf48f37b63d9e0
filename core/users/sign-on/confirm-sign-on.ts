import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import { storeIdpId } from '../members/store-idp-id.js';
import { checkSecondFactor, type SecondFactorProof } from '../second-factor/check-second-factor.js';
import { hasSecondFactor, wrongSecondFactor } from '../second-factor/second-factor.js';
import type { CreatedSession } from '../sessions/create-session.js';
import type { FinishSignOn, SignOnConfirmation } from './finish-sign-on.js';
import { endOnce, isTooOld } from './identify.js';
import { linkIdentity } from './link-identity.js';
import { recordFailure } from './record-failure.js';
import { notAdmitted, signOnEnded, signOnOf } from './sign-on.js';
import { startBoundSession } from './start-bound-session.js';

/** The request of `confirmSignOn`. */
export interface ConfirmSignOn extends Pick<FinishSignOn, 'device'> {
  /** What `proveSignOn` returned, as the person's browser has kept it. */
  readonly confirmation: SignOnConfirmation;
  /** The second factor of that account, if it has one. */
  readonly secondFactor?: SecondFactorProof | undefined;
  /** The IP address of the caller; wrong second factors are counted for it. */
  readonly address: string;
}

/**
 * Links the person to the member who they have proved to be, once, and signs them in as `finishSignOn` does. A member
 * without an id at the provider gets it, unless someone else has it.
 *
 * @throws `Refusal`: `sign-on-off`; `sign-on-ended` if nothing is proved, the organization has another provider meanwhile,
 * it was confirmed already or began too long ago; `sign-on-not-admitted`; `wrong-second-factor`, also if there is none in
 * the request; `too-many-requests` after too many wrong ones.
 */
export async function confirmSignOn(
  deps: Uses<
    | 'members.byUserId'
    | 'secondFactors.of'
    | typeof checkSecondFactor
    | typeof endOnce
    | typeof linkIdentity
    | typeof recordFailure
    | typeof signOnOf
    | typeof startBoundSession
    | typeof storeIdpId
  >,
  { confirmation, secondFactor, address, device }: ConfirmSignOn,
): Promise<CreatedSession> {
  const { organizationId, issuer, subject, userId, idpId, sid } = confirmation;
  const signOn = await signOnOf(deps, organizationId);
  const isOver = signOn.issuer !== issuer || isTooOld(deps, confirmation);
  if (isOver || !confirmation.isProved) throw signOnEnded();
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw notAdmitted();

  // Otherwise sign-on would be a way around it, into the roles that the member has.
  if (hasSecondFactor(await deps.secondFactors.of(userId))) {
    if (secondFactor === undefined) throw wrongSecondFactor();
    await checkSecondFactor(deps, { user: member.user, proof: secondFactor, address });
  }

  await endOnce(deps, `confirmed ${confirmation.state}`);
  const identity = { organizationId, issuer, subject };
  const linked = await linkIdentity(deps, { identity, member, address });
  if (typeof linked === 'string') {
    const reason = `the identity cannot be linked: ${linked}`;
    recordFailure(deps, { organizationId, outcome: 'not-admitted', reason, address });
    throw notAdmitted();
  }
  // Someone else who has the id keeps it: the identity works without.
  const by = { who: { kind: 'user', userId: member.user.id }, from: readAddress(address) } as const;
  if (idpId !== null && member.idpId === null) await storeIdpId(deps, { member, idpId, replaces: null, by });
  return startBoundSession(deps, { member, identity, sid, address, device });
}
