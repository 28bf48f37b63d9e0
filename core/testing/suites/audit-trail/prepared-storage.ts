import type { AuditEntry, NewAuditEntry } from '../../../access/ports/audit-trail.js';
import type { StoragePorts } from '../../../ports.js';
import { aUser, testUuid } from '../../dataset.js';
import { aNewInvitation } from '../../new-invitation.js';
import { eventName, subscribe } from '../../subscribe.js';

export const at = new Date('2026-11-20T12:00:00.000Z');

export const later = new Date('2026-11-20T12:00:00.001Z');

export const everything = { organizationId: 1, offset: 0, limit: 100 };

export function entry(fields: Partial<NewAuditEntry>): NewAuditEntry {
  return {
    organizationId: 1,
    at,
    actor: { who: { kind: 'command-line' }, from: null },
    action: 'webhook-tested',
    subject: null,
    ...fields,
  };
}

export async function trail(storage: StoragePorts, organizationId = 1): Promise<readonly AuditEntry[]> {
  return (await storage.auditTrail.list({ ...everything, organizationId })).entries;
}

export interface Prepared {
  readonly invitationId: string;
  readonly deliveryId: number;
}

export const link = { hash: 'link', organizationId: 1, userId: 2, createdAt: at, expiresAt: later };

/** Stores a pending invitation, a failed delivery, a login link and two sessions of a user. */
export async function prepare(storage: StoragePorts): Promise<Prepared> {
  await storage.invitations.findOrCreatePending({ ...aNewInvitation(1, at), email: 'first@example.test' });
  const [deliveryId = 0] = await fail(storage, [1]);
  await storage.loginLinks.store(link);
  const session = { userId: 1, boundTo: null, createdAt: at, passwordHash: null };
  for (const hash of ['a session', 'another session']) await storage.sessions.create({ ...session, hash });
  return { invitationId: aNewInvitation(1, at).id, deliveryId };
}

/** Makes a failed delivery for each of these organizations. Returns the ids. */
export async function fail(
  storage: StoragePorts,
  organizations: readonly number[],
): Promise<readonly number[]> {
  await subscribe(storage, organizations);
  for (const [index, organizationId] of organizations.entries()) {
    const user = { ...aUser(80 + index), passwordHash: null };
    const { id, avatar, ...newUser } = user;
    await storage.members.register(
      { organizationId, user: newUser, uuid: null, role: 'member', idpId: null, invitationId: null, at },
      () => [{ id: testUuid(3000 + index), name: eventName, organizationId, body: '{}', createdAt: at }],
    );
  }
  const claimed = await storage.outbox.claim({ limit: 9, perOrganization: 9, claim: testUuid(4), at });
  for (const { deliveryId, claim } of claimed) {
    await storage.outbox.finish({ deliveryId, claim, state: 'failed', attempt: null, at });
  }
  return claimed.map(({ deliveryId }) => deliveryId);
}
