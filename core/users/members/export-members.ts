import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { csvLine } from '../../values/csv.js';
import { csvChunks, ROWS_PER_CHUNK } from '../../values/csv-chunks.js';
import { checkId } from '../../values/ids.js';
import { checkOneOf } from '../../values/one-of.js';
import type { Member } from '../ports/members.js';
import { searchWords } from '../search-words.js';
import type { ListMembers } from './list-members.js';
import { roles } from './roles.js';

/** The request of `exportMembers`. Only members that match both are exported. */
export interface ExportMembers extends OfOrganization, Pick<ListMembers, 'search' | 'role'> {}

/** A file of people that has started. */
export interface ExportedPeople {
  /**
   * A CSV file as UTF-8: a byte order mark, a header, and a line with CRLF for each person. No text in it is run as a
   * formula. People who are added or removed meanwhile do not move the others.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const LABELS = ['ID', 'Email', 'First name', 'Last name', 'Role', 'Identity provider ID', 'Joined'];

/**
 * Exports the people of an organization as CSV, by e-mail address in code point order.
 *
 * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
 * `organization.id` is not an id or `role` is unknown.
 */
export async function exportMembers(
  deps: Uses<'members.listByEmail'>,
  { organization, search = '', role }: ExportMembers,
): Promise<ExportedPeople> {
  const organizationId = checkId('organization.id', organization.id);
  if (role !== undefined) checkOneOf('role', roles, role);
  const query = { organizationId, role, words: searchWords(search), limit: ROWS_PER_CHUNK };
  const first = await deps.members.listByEmail({ ...query, after: null });
  const linesOf = (members: readonly Member[]) => members.map(lineOf).join('');
  const readAfter = ({ user }: Member) => deps.members.listByEmail({ ...query, after: user.email });
  return { chunks: csvChunks(LABELS, first, { linesOf, readAfter }) };
}

function lineOf({ uuid, user: { email, firstName, lastName }, role, idpId, joinedAt }: Member): string {
  return csvLine([uuid, email, firstName, lastName, role, idpId, joinedAt]);
}
