import { type Acting, checkActor } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { isId, isUuid } from '../values/ids.js';
import { closedInvitation } from './invitation.js';
import type { Invitation } from './ports.js';

/** The request of `revokeInvitation`. */
export interface RevokeInvitation extends OfOrganization, Acting {
  /** The `id` of the pending invitation, a UUID in any case. */
  readonly invitationId: string;
}

/**
 * Ends a pending invitation: its URL stops working. An accepted one stays accepted.
 *
 * @throws `Refusal`: `invitation-unknown`, `invitation-used`, `invitation-revoked`.
 */
export async function revokeInvitation(
  { invitations, clock }: Uses<'clock.now' | 'invitations.revoke'>,
  { organization: { id: organizationId }, invitationId, by }: RevokeInvitation,
): Promise<Invitation> {
  checkActor(by);
  if (!isId(organizationId) || !isUuid(invitationId)) throw closedInvitation('unknown');
  const at = clock.now();
  const id = invitationId.toLowerCase();
  const revoked = await invitations.revoke({ organizationId, invitationId: id, at }, ({ email }) =>
    auditEntries({ by, at }, { organizationId, action: 'invitation-revoked', subject: email }),
  );
  if (typeof revoked === 'string') throw closedInvitation(revoked);
  return revoked;
}
