import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { clampPage, type PageOf, type PageRequest, pageOf, pageOffset } from '../values/page.js';
import { refuseAny } from '../values/problems.js';
import { textProblem } from '../values/text.js';
import type { ListedMember } from './ports.js';

/** The request of `listMembers`. */
export interface ListMembers extends OfOrganization, PageRequest {
  /**
   * Words that must each be part of a name or the address, in any case; at most 300 characters and ten different words.
   * Empty or left out: all members.
   */
  readonly search?: string | undefined;
}

const MAX_SEARCH_CHARACTERS = 300;
/** A search compares each word with every member. If the database runs in this process, all other requests wait. */
const MAX_WORDS = 10;

/**
 * Lists the people of an organization: owners, then admins, then members, each group by e-mail address.
 *
 * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
 * `organization.id` is not an id.
 */
export async function listMembers(
  { members }: Uses<'members.list'>,
  { organization, search = '', ...requested }: ListMembers,
): Promise<PageOf<ListedMember>> {
  const organizationId = checkId('organization.id', organization.id);
  const words = wordsIn(search);
  const page = clampPage({ page: requested.page, size: requested.size, defaultSize: 50 });
  const { members: items, total } = await members.list({
    organizationId,
    words,
    offset: pageOffset(page),
    limit: page.size,
  });
  return pageOf(page, { items, total });
}

function wordsIn(search: string): readonly string[] {
  const words = search.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return [];
  const distinct = [...new Set(words)];
  const tooMany =
    distinct.length > MAX_WORDS
      ? ({ field: 'search', code: 'too-many', message: `must have at most ${MAX_WORDS} words` } as const)
      : null;
  refuseAny([textProblem('search', words.join(' '), { maxCharacters: MAX_SEARCH_CHARACTERS }) ?? tooMany]);
  return distinct;
}
