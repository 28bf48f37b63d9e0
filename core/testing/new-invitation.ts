import type { NewInvitation } from '../users/ports/invitations.js';
import { testUuid } from './dataset.js';

/** A pending invitation to organization 1. */
export function aNewInvitation(number: number, at: Date): NewInvitation {
  return {
    id: testUuid(1000 + number),
    keyId: 'key',
    organizationId: 1,
    userUuid: testUuid(2000 + number),
    idpId: null,
    email: 'new@example.test',
    firstName: 'Ana',
    lastName: 'Lopez',
    createdAt: at,
    invitedBy: null,
  };
}
