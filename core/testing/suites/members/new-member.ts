import type { NewMember } from '../../../users/ports/members.js';
import type { NewEvent } from '../../../webhooks/events.js';
import { testUuid } from '../../dataset.js';
import { eventName } from '../../subscribe.js';

export const at = new Date('2026-11-20T12:00:00.000Z');

export const newUser = {
  uuid: testUuid(60),
  email: 'new@example.test',
  firstName: 'Ana',
  lastName: 'Lopez',
  passwordHash: 'hash',
  createdAt: at,
};

export function newMember(): NewMember {
  return {
    organizationId: 1,
    user: newUser,
    uuid: testUuid(70),
    role: 'member',
    idpId: 'idp-9',
    invitationId: null,
    at,
  };
}

export function registeredEvent(number: number): NewEvent {
  return {
    id: testUuid(3000 + number),
    name: eventName,
    organizationId: 1,
    body: `{"event":"${eventName}","n":${number}}`,
    createdAt: at,
  };
}
