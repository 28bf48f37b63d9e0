import type { NewMember } from '../users/ports/members.js';
import type { NewUser } from '../users/user.js';
import { testUuid } from './dataset.js';
import { noon } from './noon.js';

/** A user who is not stored yet. */
export function aNewUser(number: number, fields: Partial<NewUser> = {}): NewUser {
  return {
    uuid: testUuid(number),
    email: `new-${number}@example.test`,
    firstName: 'Ana',
    lastName: 'Lopez',
    passwordHash: 'hash',
    createdAt: noon,
    ...fields,
  };
}

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
