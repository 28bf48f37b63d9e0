import type { ListedMember, Organization } from '../ports.js';
import { clampPage, type PageOf, pageOf, pageOffset } from '../values/page.js';
import type { World } from '../world.js';

export interface ListMembers {
  readonly organization: Pick<Organization, 'id'>;
  /** Both are clamped and never refused (decision 8); 50 to a page where left out, at most 100. */
  readonly page?: unknown;
  readonly size?: unknown;
}

/** The people of an organization: owners, admins, then members, each by e-mail address. */
export async function listMembers(
  { members }: Pick<World, 'members'>,
  { organization, ...asked }: ListMembers,
): Promise<PageOf<ListedMember>> {
  const page = clampPage({ page: asked.page, size: asked.size, defaultSize: 50 });
  const { members: items, total } = await members.list({
    organizationId: organization.id,
    offset: pageOffset(page),
    limit: page.size,
  });
  return pageOf(page, { items, total });
}
