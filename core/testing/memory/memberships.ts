import type { Member } from '../../users/ports/members.js';
import { existing, type State, type StoredMembership } from './state.js';
import { toUser } from './users.js';

export function toMember(
  state: State,
  { organizationId, userId, uuid, role, idpId, joinedAt }: StoredMembership,
): Member {
  return { organizationId, user: toUser(existing(state.users.get(userId))), uuid, role, idpId, joinedAt };
}

export function isSameMember(
  one: { readonly organizationId: number; readonly userId: number },
  other: { readonly organizationId: number; readonly userId: number },
): boolean {
  return one.organizationId === other.organizationId && one.userId === other.userId;
}
