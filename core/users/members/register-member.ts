import type { Uses } from '../../deps.js';
import type { NewEvent } from '../../webhooks/events.js';
import { tellOf } from '../../webhooks/membership-events.js';
import type { Member, NewMember, NotRegistered } from '../ports/members.js';

/** Adds a membership and its event in one transaction. `acceptInvitation` and `registerUser` share it. */
export async function registerMember(
  {
    members,
    dispatcher,
    ids,
    clock,
  }: Uses<'clock.now' | 'dispatcher.wake' | 'ids.uuid' | 'members.register'>,
  entry: Omit<NewMember, 'at'>,
): Promise<Member | NotRegistered> {
  const at = clock.now();
  let events: readonly NewEvent[] = [];
  const member = await members.register({ ...entry, at }, (registered) => {
    events = tellOf('registered', { facts: [registered], at, ids });
    return events;
  });
  if (typeof member === 'object') dispatcher.wake(events);
  return member;
}
