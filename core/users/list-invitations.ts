import type { Invitation, InvitationState, ListedInvitation, Organization } from '../ports.js';
import { clampPage, type PageOf, pageOf, pageOffset } from '../values/page.js';
import type { World } from '../world.js';
import { invitationState } from './invitation.js';

export interface ListInvitations {
  readonly organization: Pick<Organization, 'id'>;
  /** Left out: in any state. */
  readonly state?: InvitationState | undefined;
  /** Both are clamped and never refused (decision 8); 50 to a page where left out, at most 100. */
  readonly page?: unknown;
  readonly size?: unknown;
}

export interface ShownInvitation extends ListedInvitation {
  readonly state: InvitationState;
  /** Holds a secret; null where there is nothing left to accept. */
  readonly invitationUrl: string | null;
}

/** The organization's invitations, the newest first. */
export async function listInvitations(
  { invitations, secrets, settings }: Pick<World, 'invitations' | 'secrets' | 'settings'>,
  { organization, state, ...asked }: ListInvitations,
): Promise<PageOf<ShownInvitation>> {
  const page = clampPage({ page: asked.page, size: asked.size, defaultSize: 50 });
  const { invitations: listed, total } = await invitations.list({
    organizationId: organization.id,
    state,
    offset: pageOffset(page),
    limit: page.size,
  });
  const items = listed.map((invitation) => showInvitation({ secrets, settings }, invitation));
  return pageOf(page, { items, total });
}

/** The invitation with what follows from it. */
export function showInvitation<Stored extends Invitation>(
  { secrets, settings }: Pick<World, 'secrets' | 'settings'>,
  invitation: Stored,
): Stored & Pick<ShownInvitation, 'state' | 'invitationUrl'> {
  const state = invitationState(invitation);
  const isPending = state === 'pending';
  const url = isPending ? settings.links.invitation(secrets.invitationToken(invitation)) : null;
  return { ...invitation, state, invitationUrl: url };
}
