import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { mayBeId } from '../../values/ids.js';
import type { Member } from '../ports/members.js';

/** The request of `readMember`. */
export interface ReadMember extends OfOrganization {
  /** The id of the user, as in `Member.user`. */
  readonly userId: number;
}

/**
 * Reads one member of the organization.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function readMember(
  { members }: Uses<'members.byUserId'>,
  { organization: { id: organizationId }, userId }: ReadMember,
): Promise<Member> {
  const isPossible = mayBeId('organization.id', organizationId) && mayBeId('userId', userId);
  const member = isPossible ? await members.byUserId({ organizationId, userId }) : null;
  if (member === null) throw new Refusal('member-not-found', 'There is no such member');
  return member;
}
