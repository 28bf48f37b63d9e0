import { auditEntries } from '../../access/audit-entries.js';
import type { NewAuditEntry } from '../../access/ports/audit-trail.js';
import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import type { NewEvent } from '../../webhooks/events.js';
import { tellOf } from '../../webhooks/membership-events.js';
import type { Member, MembershipFacts, NewMember, NotRegistered } from '../ports/members.js';

/**
 * Adds a membership and its event in one transaction. `acceptInvitation` and `registerUser` share it. `accepting`: the
 * audit trail says which role the person got by accepting an invitation from this address, unless it is `member`.
 */
export async function registerMember(
  {
    members,
    dispatcher,
    ids,
    clock,
  }: Uses<'clock.now' | 'dispatcher.wake' | 'ids.uuid' | 'members.register'>,
  entry: Omit<NewMember, 'at'>,
  accepting?: { readonly from: string },
): Promise<Member | NotRegistered> {
  const at = clock.now();
  let events: readonly NewEvent[] = [];
  const member = await members.register({ ...entry, at }, (registered) => {
    events = tellOf('registered', { facts: [registered], at, ids });
    return [...(accepting === undefined ? [] : roleEntries(registered, { at, ...accepting })), ...events];
  });
  if (typeof member === 'object') dispatcher.wake(events);
  return member;
}

function roleEntries(
  { member: { organizationId, user, role } }: MembershipFacts,
  { at, from }: { readonly at: Date; readonly from: string },
): readonly NewAuditEntry[] {
  if (role === 'member') return [];
  const by = { who: { kind: 'user', userId: user.id }, from: readAddress(from) } as const;
  return auditEntries(
    { by, at },
    { organizationId, action: 'role-changed', subject: `${user.email}: ${role}`, aboutUserId: user.id },
  );
}
