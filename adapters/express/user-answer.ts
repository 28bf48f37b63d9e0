import type { components } from '@rollcall/contracts';
import type { Member } from '@rollcall/core';
import { formatTimestamp } from './timestamp.js';

/** A member as the organization knows them. */
export function userAnswer({ user, uuid, role, idpId, joinedAt }: Member): components['schemas']['User'] {
  return {
    id: uuid,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    role,
    idp_id: idpId,
    joined_at: formatTimestamp(joinedAt),
  };
}
