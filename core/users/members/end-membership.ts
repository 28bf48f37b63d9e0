import type { Acting } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import type { NewEvent } from '../../webhooks/events.js';
import { tellOf } from '../../webhooks/membership-events.js';
import type { Member, MemberKey, NotChanged } from '../ports/members.js';

interface EndMembership extends MemberKey, Acting {
  readonly keepsOwners: boolean;
}

/** Ends a membership, and stores its events in the same transaction. `removeMember` and `removeUser` share it. */
export async function endMembership(
  { members, dispatcher, ids, clock }: Uses<'clock.now' | 'dispatcher.wake' | 'ids.uuid' | 'members.remove'>,
  { by, ...change }: EndMembership,
): Promise<Member | NotChanged | 'is-owner'> {
  const { organizationId } = change;
  const at = clock.now();
  let events: readonly NewEvent[] = [];
  const removed = await members.remove({ ...change, at }, (facts) => {
    events = tellOf('ended', { facts: [facts], ids, at });
    const { email } = facts.member.user;
    return [
      ...auditEntries({ by, at }, { organizationId, action: 'member-removed', subject: email }),
      ...events,
    ];
  });
  if (events.length > 0) dispatcher.wake(events);
  return removed;
}
