import type { NewMember } from '../users/ports/members.js';
import { noon } from './noon.js';

/** A user who joins organization 1 without an invitation. */
export function aNewMember(user: NewMember['user'], fields: Partial<NewMember> = {}): NewMember {
  return {
    organizationId: 1,
    user,
    uuid: null,
    role: 'member',
    idpId: null,
    invitationId: null,
    at: noon,
    ...fields,
  };
}
