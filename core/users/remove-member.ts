import type { Acting } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import type { Organization } from '../access/ports.js';
import type { Deps } from '../deps.js';
import { isId } from '../values/ids.js';
import { notChanged } from './change-role.js';
import type { Member } from './ports.js';

export interface RemoveMember extends Acting {
  readonly organization: Pick<Organization, 'id'>;
  readonly userId: number;
}

/**
 * Ends a membership and what could still be used of it. That is sessions of the member's page, login links, a
 * pending invitation and the calendar feed. The last owner stays. The user keeps the account, and the
 * memberships elsewhere.
 */
export async function removeMember(
  { members, clock }: Pick<Deps, 'members' | 'clock'>,
  { organization: { id: organizationId }, userId, by }: RemoveMember,
): Promise<Member> {
  if (!isId(userId)) throw notChanged('not-a-member');
  const at = clock.now();
  const removed = await members.remove({ organizationId, userId, at }, ({ user }) =>
    auditEntries({ by, at }, { organizationId, action: 'member-removed', subject: user.email }),
  );
  if (typeof removed === 'string') throw notChanged(removed);
  return removed;
}
