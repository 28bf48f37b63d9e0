import type { Member } from '../../users/ports/members.js';
import type { User } from '../../users/user.js';
import { existing, type State, type StoredMembership } from './state.js';
import { toUser } from './users.js';

/** The member; `user` need not be stored yet. */
export function toMember(
  state: State,
  { organizationId, userId, uuid, role, idpId, joinedAt }: StoredMembership,
  user: User = existing(state.users.get(userId)),
): Member {
  return { organizationId, user: toUser(user), uuid, role, idpId, joinedAt };
}

export function replaceMembership(state: State, before: StoredMembership, after: StoredMembership): void {
  state.memberships = state.memberships.map((stored) => (stored === before ? after : stored));
}

export function isSameMember(
  one: { readonly organizationId: number; readonly userId: number },
  other: { readonly organizationId: number; readonly userId: number },
): boolean {
  return one.organizationId === other.organizationId && one.userId === other.userId;
}
