import type { AuditEntry } from '../../../access/ports/audit-trail.js';
import type { StoragePorts } from '../../../ports.js';
import { aUser, testUuid } from '../../dataset.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { noon } from '../../noon.js';
import { eventName, subscribe } from '../../subscribe.js';

/** A millisecond counts in the order of entries. */
export const later = new Date(noon.getTime() + 1);

export const everything = { organizationId: 1, offset: 0, limit: 100 };

export async function trail(storage: StoragePorts, organizationId = 1): Promise<readonly AuditEntry[]> {
  return (await storage.auditTrail.list({ ...everything, organizationId })).entries;
}

export interface Prepared {
  readonly invitationId: string;
  readonly deliveryId: number;
}

export const link = { hash: 'link', organizationId: 1, userId: 2, createdAt: noon, expiresAt: later };

/** Stores a pending invitation, a failed delivery, a login link and two sessions of a user. */
export async function prepare(storage: StoragePorts): Promise<Prepared> {
  await storage.invitations.findOrCreatePending(anInvitation(1));
  const [deliveryId = 0] = await fail(storage, [1]);
  await storage.loginLinks.store(link);
  const session = { userId: 1, boundTo: null, createdAt: noon, passwordHash: null };
  for (const hash of ['a session', 'another session']) await storage.sessions.create({ ...session, hash });
  return { invitationId: idOf(1), deliveryId };
}

/** Makes a failed delivery for each of these organizations. Returns the ids. */
export async function fail(
  storage: StoragePorts,
  organizations: readonly number[],
): Promise<readonly number[]> {
  await subscribe(storage, organizations);
  for (const [index, organizationId] of organizations.entries()) {
    const { id, avatar, ...user } = { ...aUser(80 + index), passwordHash: null };
    await storage.members.register(aNewMember(user, { organizationId }), () => [
      { id: testUuid(3000 + index), name: eventName, organizationId, body: '{}', createdAt: noon },
    ]);
  }
  const claimed = await storage.outbox.claim({ limit: 9, perOrganization: 9, claim: testUuid(4), at: noon });
  for (const { deliveryId, claim } of claimed) {
    await storage.outbox.finish({ deliveryId, claim, state: 'failed', attempt: null, at: noon });
  }
  return claimed.map(({ deliveryId }) => deliveryId);
}
