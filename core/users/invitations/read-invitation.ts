import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { mayBeId, mayBeUuid } from '../../values/ids.js';
import { closedInvitation } from './invitation.js';
import { type InvitationView, invitationViews } from './invitation-view.js';

/** The request of `readInvitation`. */
export interface ReadInvitation extends OfOrganization {
  /** The UUID that the organization got for the person. It stays the same when the invitation is renewed. */
  readonly uuid: string;
}

/**
 * Reads the invitation that gave the organization this UUID, in any state.
 *
 * @throws `Refusal`: `invitation-unknown`.
 */
export async function readInvitation(
  deps: Uses<'invitations.byUserUuid' | 'invitations.inviter' | typeof invitationViews>,
  { organization: { id: organizationId }, uuid }: ReadInvitation,
): Promise<InvitationView> {
  if (!mayBeId('organization.id', organizationId) || !mayBeUuid('uuid', uuid))
    throw closedInvitation('unknown');
  const invitation = await deps.invitations.byUserUuid({ organizationId, uuid: uuid.toLowerCase() });
  if (invitation === null) throw closedInvitation('unknown');
  const inviter = await deps.invitations.inviter(invitation);
  const [view] = await invitationViews(deps, organizationId, [{ ...invitation, inviter }]);
  return view as InvitationView;
}
