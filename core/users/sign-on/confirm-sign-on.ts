import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import type { Secret } from '../../values/secret.js';
import type { Member } from '../ports/members.js';
import { checkPassword } from '../sessions/check-password.js';
import type { CreatedSession } from '../sessions/create-session.js';
import type { SignOnConfirmation } from './finish-sign-on.js';
import { linkIdentity } from './link-identity.js';
import { recordFailure } from './record-failure.js';
import { notAdmitted, signOnEnded, signOnOf } from './sign-on.js';
import { startBoundSession } from './start-bound-session.js';

/** The request of `confirmSignOn`. */
export interface ConfirmSignOn {
  /** What `finishSignOn` returned, as the person's browser has kept it. */
  readonly confirmation: SignOnConfirmation;
  /** The password of the member's account. */
  readonly password: Secret;
  /** The IP address of the caller; wrong passwords are counted for it. */
  readonly address: string;
  /** As in `FinishSignOn`. */
  readonly device?: string | undefined;
}

/**
 * Links the person to the member who they say they are, once, by the password of that member's account, and signs them in
 * as `finishSignOn` does. A member without an id at the provider gets it, unless someone else has it.
 *
 * @throws `Refusal`: `sign-on-off`; `sign-on-ended` if the organization has another provider meanwhile;
 * `sign-on-not-admitted`; `wrong-credentials`; `too-many-requests` after too many wrong passwords.
 */
export async function confirmSignOn(
  deps: Uses<
    | 'clock.now'
    | 'identities.link'
    | 'identities.touch'
    | 'limits.consume'
    | 'limits.forgive'
    | 'limits.waitFor'
    | 'members.byUserId'
    | 'members.setIdpId'
    | 'passwords.verify'
    | 'secrets.newToken'
    | 'securityLog.record'
    | 'sessions.create'
    | 'signOns.of'
    | 'users.byEmail'
    | 'users.passwordHash'
  >,
  { confirmation, password, address, device }: ConfirmSignOn,
): Promise<CreatedSession> {
  const { organizationId, issuer, subject, userId, idpId, sid } = confirmation;
  const signOn = await signOnOf(deps, organizationId);
  if (signOn.issuer !== issuer) throw signOnEnded();
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw notAdmitted();
  const { user } = await checkPassword(deps, {
    ...{ email: member.user.email, password, address },
    wrongReason: 'The password is wrong',
  });
  if (user.id !== userId) throw notAdmitted();

  const identity = { organizationId, issuer, subject };
  const linked = await linkIdentity(deps, { identity, member, address });
  if (typeof linked === 'string') {
    recordFailure(deps, { organizationId, reason: `the identity cannot be linked: ${linked}`, address });
    throw notAdmitted();
  }
  if (idpId !== null && member.idpId === null) await giveIdpId(deps, { member, idpId, address });
  return startBoundSession(deps, { member, identity, sid, address, device });
}

/** Someone else who has the id keeps it: the identity works without. */
async function giveIdpId(
  { members, clock }: Uses<'clock.now' | 'members.setIdpId'>,
  { member, idpId, address }: { readonly member: Member; readonly idpId: string; readonly address: string },
): Promise<void> {
  const { organizationId, user } = member;
  const at = clock.now();
  const by = { who: { kind: 'user', userId: user.id }, from: readAddress(address) } as const;
  await members.setIdpId({ organizationId, userId: user.id, idpId, replaces: null }, () => {
    const subject = `${user.email}: none → ${idpId}`;
    return auditEntries({ by, at }, { organizationId, action: 'idp-id-set', subject, aboutUserId: user.id });
  });
}
