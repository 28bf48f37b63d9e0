import type { NewInvitation } from '../../../users/ports/invitations.js';
import type { NewMember } from '../../../users/ports/members.js';
import type { NewEvent } from '../../../webhooks/events.js';
import { testUuid } from '../../dataset.js';
import { anInvitation } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { noon } from '../../noon.js';
import { eventName } from '../../subscribe.js';

export const newUser = {
  uuid: testUuid(60),
  email: 'new@example.test',
  firstName: 'Ana',
  lastName: 'Lopez',
  passwordHash: 'hash',
  createdAt: noon,
};

export function newMember(fields: Partial<NewMember> = {}): NewMember {
  return aNewMember(newUser, { uuid: testUuid(70), idpId: 'idp-9', ...fields });
}

/** An invitation to the address of the new user. */
export function invitationOfNewUser(number: number, fields: Partial<NewInvitation> = {}): NewInvitation {
  return anInvitation(number, { email: newUser.email, ...fields });
}

export function registeredEvent(number: number): NewEvent {
  return {
    id: testUuid(3000 + number),
    name: eventName,
    organizationId: 1,
    body: `{"event":"${eventName}","n":${number}}`,
    createdAt: noon,
  };
}
