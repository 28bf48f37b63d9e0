import type { NewInvitation } from '../users/ports/invitations.js';
import { testUuid } from './dataset.js';
import { noon } from './noon.js';

/** The id of `anInvitation` with this number. */
export function idOf(number: number): string {
  return testUuid(1000 + number);
}

/** A pending invitation to organization 1. */
export function anInvitation(number: number, fields: Partial<NewInvitation> = {}): NewInvitation {
  return {
    id: idOf(number),
    keyId: 'key',
    organizationId: 1,
    userUuid: testUuid(2000 + number),
    idpId: null,
    role: 'member',
    expiresAt: null,
    email: `invited-${number}@example.test`,
    firstName: 'Ana',
    lastName: 'Lopez',
    createdAt: noon,
    invitedBy: { kind: 'access-key' },
    ...fields,
  };
}
