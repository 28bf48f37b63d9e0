import type { Uses } from '../../deps.js';
import { userRegistered } from '../../webhooks/user-registered.js';
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
  const member = await members.register({ ...entry, at }, (registered) =>
    userRegistered(registered, { id: ids.uuid(), at }),
  );
  if (typeof member === 'object') dispatcher.wake();
  return member;
}
