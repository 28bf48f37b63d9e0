import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import type { Member, Role, Session } from '../users/ports.js';
import { isId } from '../values/ids.js';
import type { Organization } from './ports.js';

/** From the one who may do least to the one who may do everything. */
const ranks: readonly Role[] = ['member', 'admin', 'owner'];

export interface AuthorizeMember {
  readonly session: Pick<Session, 'user' | 'boundTo'>;
  readonly organizationId: number;
  /** Who has at least this role may; an owner may all that an admin may, and an admin all that a member may. */
  readonly role: Role;
}

/**
 * The session's user as a member of the organization, with the role asked for or a higher one. A session that a
 * link opened is good for the member's pages of its organization and for nothing else, whatever role its user
 * has (decision 19). An organization of others is refused as one that does not exist.
 */
export async function authorizeMember(
  { members, organizations }: Pick<Deps, 'members' | 'organizations'>,
  { session, organizationId, role }: AuthorizeMember,
): Promise<{ readonly member: Member; readonly organization: Organization }> {
  const { boundTo, user } = session;
  if (boundTo !== null && (boundTo !== organizationId || role !== 'member')) throw sessionBound();

  const key = { organizationId, userId: user.id };
  const member = isId(organizationId) ? await members.byUserId(key) : null;
  const organization = member === null ? null : await organizations.byId(organizationId);
  if (member === null || organization === null)
    throw new Refusal('organization-not-found', 'There is no such organization');
  if (ranks.indexOf(member.role) < ranks.indexOf(role))
    throw new Refusal('role-too-low', `This needs the role ${role}`);
  return { member, organization };
}

export function sessionBound(): Refusal {
  return new Refusal('session-bound', 'A login link opens meetings only: sign in with your password first');
}
