import type { NewInvitation } from '../../../users/ports/invitations.js';
import { testUuid } from '../../dataset.js';

export const at = new Date('2026-11-20T12:00:00.000Z');

export const later = new Date('2026-11-20T12:05:00.000Z');

export const everything = { organizationId: 1, offset: 0, limit: 100 };

export function idOf(number: number): string {
  return testUuid(1000 + number);
}

export function invitation(number: number): NewInvitation {
  return {
    id: idOf(number),
    keyId: 'key',
    organizationId: 1,
    userUuid: testUuid(2000 + number),
    idpId: null,
    email: `invited-${number}@example.test`,
    firstName: 'Ana',
    lastName: 'Lopez',
    createdAt: at,
    invitedBy: { kind: 'access-key' },
  };
}

export function renewal(number: number, fresh: number) {
  return {
    organizationId: 1,
    invitationId: idOf(number),
    retiredUuid: testUuid(4000 + fresh),
    fresh: {
      id: idOf(fresh),
      keyId: 'next key',
      createdAt: later,
      invitedBy: { kind: 'user', userId: 1 },
    },
  } as const;
}

export function newMember(userId: number) {
  return {
    organizationId: 1,
    user: { id: userId },
    uuid: null,
    role: 'member',
    idpId: null,
    invitationId: null,
    at,
  } as const;
}
