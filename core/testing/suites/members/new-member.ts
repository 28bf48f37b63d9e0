import type { NewInvitation } from '../../../users/ports/invitations.js';
import type { NewMember } from '../../../users/ports/members.js';
import { testUuid } from '../../dataset.js';
import { anInvitation } from '../../new-invitation.js';
import { aNewMember, aNewUser } from '../../new-member.js';

export const newUser = aNewUser(60, { email: 'new@example.test' });

export function newMember(fields: Partial<NewMember> = {}): NewMember {
  return aNewMember(newUser, { uuid: testUuid(70), idpId: 'idp-9', ...fields });
}

/** An invitation to the address of the new user. */
export function invitationOfNewUser(number: number, fields: Partial<NewInvitation> = {}): NewInvitation {
  return anInvitation(number, { email: newUser.email, ...fields });
}
