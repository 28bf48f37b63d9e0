import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import { checkOneOf } from '../../values/one-of.js';
import { clampPage, type PageOf, type PageRequest, pageOf, pageOffset } from '../../values/page.js';
import type { InvitationOrder, ListedState } from '../ports/invitations.js';
import { searchWords } from '../search-words.js';
import { listedStates } from './invitation.js';
import { type InvitationView, invitationViews } from './invitation-view.js';

/** The request of `listInvitations`. */
export interface ListInvitations extends OfOrganization, PageRequest {
  /** Left out: in any state. */
  readonly state?: ListedState | undefined;
  /** As in `ListMembers`. Empty or left out: all invitations. */
  readonly search?: string | undefined;
  /** The newest first if it is left out. */
  readonly order?: InvitationOrder | undefined;
}

/** Every order of a list of invitations. */
const invitationOrders: readonly InvitationOrder[] = ['newest', 'oldest', 'name'];

/**
 * Lists the newest invitation of each address, the newest first or in another order. `counts`: how many of those that
 * match the search are in each state.
 *
 * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
 * `organization.id` is not an id, or if `state` or `order` is unknown.
 */
export async function listInvitations(
  deps: Uses<'invitations.list' | typeof invitationViews>,
  { organization, state, search = '', order, ...requested }: ListInvitations,
): Promise<PageOf<InvitationView> & { readonly counts: Readonly<Record<ListedState, number>> }> {
  const organizationId = checkId('organization.id', organization.id);
  if (state !== undefined) checkOneOf('state', listedStates, state);
  if (order !== undefined) checkOneOf('order', invitationOrders, order);
  const words = searchWords(search);
  const page = clampPage({ page: requested.page, size: requested.size, defaultSize: 50 });
  const { invitations, total, counts } = await deps.invitations.list({
    ...{ organizationId, state, words, order, at: deps.clock.now() },
    ...{ offset: pageOffset(page), limit: page.size },
  });
  const items = await invitationViews(deps, organizationId, invitations);
  return { ...pageOf(page, { items, total }), counts };
}
