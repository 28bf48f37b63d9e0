import { type Acting, checkActor } from '../../access/actor.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import type { Member } from '../ports/members.js';
import { notChanged } from './member-not-found.js';
import { type MemberUuid, memberOf, unknownMember } from './member-of.js';
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
  deps: Uses<'clock.now' | 'members.byUuid' | 'members.remove' | 'settings.serviceName'>,
  { by, ...request }: RemoveUser,
): Promise<Member> {
  checkActor(by);
  const { organizationId, user } = await memberOf(deps, request);
  const at = deps.clock.now();
  const removed = await deps.members.remove(
    { organizationId, userId: user.id, at, keepsOwners: true },
    ({ user: { email } }) =>
      auditEntries({ by, at }, { organizationId, action: 'member-removed', subject: email }),
  );
  if (removed === 'not-a-member') throw unknownMember(deps);
  if (removed === 'is-owner') throw ownerNotRemoved();
  if (typeof removed === 'string') throw notChanged(removed);
  return removed;
}
