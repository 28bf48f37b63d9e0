import { type Acting, checkActor } from '../../access/acting.js';
import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { closedInvitation, type InvitationKey, invitationIdOf } from './invitation.js';
import { invitationEntries } from './invitation-entries.js';
import { currentFor, type InvitationView, invitationView } from './invitation-view.js';

/** The request of `revokeInvitation`. */
export type RevokeInvitation = OfOrganization & Acting & InvitationKey;

/**
 * Ends a pending invitation: its URL stops working. An accepted one stays accepted.
 *
 * @throws `Refusal`: `invitation-unknown`, `invitation-used`, `invitation-revoked`.
 */
export async function revokeInvitation(
  deps: Uses<
    | 'invitations.byUserUuid'
    | 'invitations.revoke'
    | 'invitations.revokeExpired'
    | typeof invitationView
    | typeof revokedOrReplaced
  >,
  { by, ...request }: RevokeInvitation,
): Promise<Omit<InvitationView, 'inviter'>> {
  const { invitations, clock } = deps;
  checkActor(by);
  const invitationId = await invitationIdOf(deps, request);
  const organizationId = request.organization.id;
  const at = clock.now();
  await invitations.revokeExpired({ organizationId, at });
  const revoked = await invitations.revoke({ organizationId, invitationId, at }, (stored) =>
    invitationEntries({ by, at }, 'invitation-revoked', stored),
  );
  if (revoked === 'revoked')
    throw closedInvitation(await revokedOrReplaced(deps, { organizationId, invitationId }));
  if (typeof revoked === 'string') throw closedInvitation(revoked);
  return invitationView(deps, revoked, new Map());
}

/** As lists show it. */
async function revokedOrReplaced(
  deps: Uses<'invitations.byId' | typeof currentFor>,
  { organizationId, invitationId }: { readonly organizationId: number; readonly invitationId: string },
): Promise<'revoked' | 'replaced'> {
  const invitation = await deps.invitations.byId(invitationId);
  const stored = invitation === null ? [] : [invitation];
  const current = await currentFor(deps, organizationId, stored);
  return current.size === 0 ? 'revoked' : 'replaced';
}
