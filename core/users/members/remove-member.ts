import { type Acting, checkActor } from '../../access/acting.js';
import type { Uses } from '../../deps.js';
import { mayBeId } from '../../values/ids.js';
import type { Member } from '../ports/members.js';
import { endMembership } from './end-membership.js';
import { memberNotFound, notChanged } from './member-refusals.js';
import type { ReadMember } from './read-member.js';

/** The request of `removeMember`. */
export interface RemoveMember extends ReadMember, Acting {}

/**
 * Ends a membership, with its member page sessions, login links, pending invitation and calendar feed. The last owner
 * cannot be removed. The user keeps the account and other memberships.
 *
 * @throws `Refusal`: `member-not-found`; `last-owner` if the organization would be left without an owner.
 */
export async function removeMember(
  deps: Uses<typeof endMembership>,
  { organization: { id: organizationId }, userId, by }: RemoveMember,
): Promise<Member> {
  checkActor(by);
  if (!mayBeId('organization.id', organizationId) || !mayBeId('userId', userId)) throw memberNotFound();
  const removed = await endMembership(deps, { organizationId, userId, keepsOwners: false, by });
  if (removed === 'is-owner') throw new Error('an owner was kept without a reason');
  if (typeof removed === 'string') throw notChanged(removed);
  return removed;
}
