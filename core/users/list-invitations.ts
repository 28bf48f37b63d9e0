import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { checkOneOf } from '../values/one-of.js';
import { clampPage, type PageOf, type PageRequest, pageOf, pageOffset } from '../values/page.js';
import { type InvitationView, invitationView, standingFor } from './invitation-view.js';
import type { ListedState } from './ports.js';

/** The request of `listInvitations`. */
export interface ListInvitations extends OfOrganization, PageRequest {
  /** Left out: in any state. */
  readonly state?: ListedState | undefined;
}

/** Every state of a list. */
export const listedStates: readonly ListedState[] = ['pending', 'accepted', 'revoked', 'replaced'];

/**
 * Lists the organization's invitations, newest first.
 *
 * @throws `TypeError` if `organization.id` is not an id or `state` is unknown.
 */
export async function listInvitations(
  {
    invitations,
    secrets,
    links,
  }: Uses<'invitations.list' | 'invitations.standing' | 'links.invitation' | 'secrets.invitationToken'>,
  { organization, state, ...requested }: ListInvitations,
): Promise<PageOf<InvitationView>> {
  const organizationId = checkId('organization.id', organization.id);
  if (state !== undefined) checkOneOf('state', listedStates, state);
  const page = clampPage({ page: requested.page, size: requested.size, defaultSize: 50 });
  const { invitations: listed, total } = await invitations.list({
    organizationId,
    state,
    offset: pageOffset(page),
    limit: page.size,
  });
  const standing = await standingFor({ invitations }, organizationId, listed);
  const items = listed.map((invitation) => invitationView({ secrets, links }, invitation, standing));
  return pageOf(page, { items, total });
}
