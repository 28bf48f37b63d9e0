import { type Acting, actorOf, checkActor } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { isId, isUuid } from '../values/ids.js';
import { closedInvitation } from './invitation.js';
import { alreadyMember, type InvitedUser, invitedUser } from './invite-user.js';

/** The request of `renewInvitation`. */
export interface RenewInvitation extends OfOrganization, Acting {
  /** The `id` of the pending invitation, a UUID in any case. */
  readonly invitationId: string;
}

/**
 * Replaces a pending invitation with a new one that has a new URL. The old URL stops working. The person keeps the UUID
 * that the organization got.
 *
 * @throws `Refusal`: `invitation-unknown`, `invitation-used`, `invitation-revoked`, `already-member`.
 */
export async function renewInvitation(
  deps: Uses<
    | 'clock.now'
    | 'ids.uuid'
    | 'invitations.renew'
    | 'links.invitation'
    | 'secrets.invitationToken'
    | 'secrets.keyId'
  >,
  { organization: { id: organizationId }, invitationId, by }: RenewInvitation,
): Promise<InvitedUser> {
  const { invitations, secrets, ids, clock } = deps;
  checkActor(by);
  if (!isId(organizationId) || !isUuid(invitationId)) throw closedInvitation('unknown');
  const at = clock.now();
  const fresh = { id: ids.uuid(), keyId: secrets.keyId, createdAt: at, invitedBy: actorOf({ by }).who };
  const renewed = await invitations.renew(
    { organizationId, invitationId: invitationId.toLowerCase(), retiredUuid: ids.uuid(), fresh },
    ({ email }) => auditEntries({ by, at }, { organizationId, action: 'invitation-renewed', subject: email }),
  );
  if (renewed === 'already-member') throw alreadyMember();
  if (typeof renewed === 'string') throw closedInvitation(renewed);
  return invitedUser(deps, renewed);
}
