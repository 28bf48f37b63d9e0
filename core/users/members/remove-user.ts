import { type Acting, checkActor } from '../../access/acting.js';
import type { Uses } from '../../deps.js';
import type { Member } from '../ports/members.js';
import { endMembership } from './end-membership.js';
import { type MemberUuid, memberOf, unknownMember } from './member-of.js';
import { notChanged } from './member-refusals.js';
import { ownerNotRemoved } from './roles.js';

/** The request of `removeUser`. */
export interface RemoveUser extends MemberUuid, Acting {}

/**
 * Ends a membership as `removeMember` does, for a program of the organization. Owners are not removed this way: an
 * access key must not lock the people out who can replace it.
 *
 * @throws `Refusal`: `member-not-found`; `is-owner`.
 */
export async function removeUser(
  deps: Uses<typeof endMembership | typeof memberOf>,
  { by, ...request }: RemoveUser,
): Promise<Member> {
  checkActor(by);
  const { organizationId, user } = await memberOf(deps, request);
  const removed = await endMembership(deps, { organizationId, userId: user.id, keepsOwners: true, by });
  if (removed === 'not-a-member') throw unknownMember(deps);
  if (removed === 'is-owner') throw ownerNotRemoved();
  if (typeof removed === 'string') throw notChanged(removed);
  return removed;
}
