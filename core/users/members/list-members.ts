import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import { checkOneOf } from '../../values/one-of.js';
import { clampPage, type PageOf, type PageRequest, pageOf, pageOffset } from '../../values/page.js';
import type { ListedMember, MemberOrder, Role } from '../ports/members.js';
import { searchWords } from '../search-words.js';
import { roles } from './roles.js';

/** The request of `listMembers`. */
export interface ListMembers extends OfOrganization, PageRequest {
  /**
   * Words that must each be part of a name, the address or the `idpId`, in any case and with any accents; at most 300
   * characters and ten different words. Empty or left out: all members.
   */
  readonly search?: string | undefined;
  /** Left out: members with any role. */
  readonly role?: Role | undefined;
  /** By role if it is left out. */
  readonly order?: MemberOrder | undefined;
}

/** Every order of a list of members. */
const memberOrders: readonly MemberOrder[] = ['role', 'name', 'newest'];

/**
 * Lists the people of an organization: owners, then admins, then members, each group by e-mail address, or in another
 * order. `counts`: how many of those that match the search have each role.
 *
 * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
 * `organization.id` is not an id, or if `role` or `order` is unknown.
 */
export async function listMembers(
  { members }: Uses<'members.list'>,
  { organization, search = '', role, order, ...requested }: ListMembers,
): Promise<PageOf<ListedMember> & { readonly counts: Readonly<Record<Role, number>> }> {
  const organizationId = checkId('organization.id', organization.id);
  if (role !== undefined) checkOneOf('role', roles, role);
  if (order !== undefined) checkOneOf('order', memberOrders, order);
  const words = searchWords(search);
  const page = clampPage({ page: requested.page, size: requested.size, defaultSize: 50 });
  const {
    members: items,
    total,
    counts,
  } = await members.list({
    organizationId,
    words,
    role,
    order,
    offset: pageOffset(page),
    limit: page.size,
  });
  return { ...pageOf(page, { items, total }), counts };
}
