import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { decodeCursor } from '../../values/cursor.js';
import { emailProblem, normalizeEmail } from '../../values/email.js';
import { checkId } from '../../values/ids.js';
import { type ListPart, type ListRequest, listLimit, listPart } from '../../values/list.js';
import { refuseAny } from '../../values/problems.js';
import { isStorable } from '../../values/text.js';
import type { Member, Role } from '../ports/members.js';
import { searchWords } from '../search-words.js';
import { roleProblem } from './roles.js';

/** The request of `listUsers`. Only members that match every filter are returned. */
export interface ListUsers extends OfOrganization, ListRequest {
  /** The whole address, in any case. */
  readonly email?: string | undefined;
  /** The whole id at the organization's identity provider, compared exactly. */
  readonly idpId?: string | undefined;
  /** The role in the organization. */
  readonly role?: Role | undefined;
  /** As in `listMembers`. */
  readonly search?: string | undefined;
}

/**
 * Lists the members of an organization by e-mail address in code point order.
 *
 * @throws `Refusal`: `invalid-request` if the search is too long or has too many words, if `email` is not an address, if
 * `role` is not a role, or if `after` is not from this list. `TypeError` if `organization.id` is not an id.
 */
export async function listUsers(
  { members }: Uses<'members.listByEmail'>,
  { organization, email, idpId, role, search = '', ...request }: ListUsers,
): Promise<ListPart<Member>> {
  const organizationId = checkId('organization.id', organization.id);
  refuseAny([
    role === undefined ? null : roleProblem(role),
    email === undefined ? null : emailProblem('email', email),
  ]);
  const words = searchWords(search);
  const after = decodeCursor('users', request.after, readKey) ?? null;
  const limit = listLimit(request.limit);
  const filters = { email: email === undefined ? undefined : normalizeEmail(email), idpId };
  const found = isStorable(idpId ?? '')
    ? await members.listByEmail({ organizationId, ...filters, role, words, after, limit: limit + 1 })
    : [];
  return listPart(found, { list: 'users', limit, keyOf: ({ user }) => [user.email] });
}

function readKey([email, ...others]: readonly unknown[]): string | null {
  return typeof email === 'string' && isStorable(email) && others.length === 0 ? email : null;
}
