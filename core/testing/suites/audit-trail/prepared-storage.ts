import type { AuditEntry } from '../../../access/ports/audit-trail.js';
import type { StoragePorts } from '../../../ports.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { withCodes } from '../../new-second-factor.js';
import { anIdentity, withSignOn } from '../../new-sign-on.js';
import { noon } from '../../noon.js';
import { finished } from '../../queued-deliveries.js';
import { subscribe } from '../../subscribe.js';

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

export const directoryToken = { hash: 'token', organizationId: 1, createdAt: noon, keepOldUntil: null };

/** Stores a pending invitation, a failed delivery, a login link and two sessions of a user. */
export async function prepare(storage: StoragePorts): Promise<Prepared> {
  await storage.invitations.findOrCreatePending(anInvitation(1));
  await subscribe(storage, [1]);
  const deliveryId = await finished(storage, { number: 1, state: 'failed' });
  await storage.loginLinks.store(link);
  await storage.setupLinks.store({ ...link, userId: 1, hash: 'setup' });
  await withSignOn(storage, [1]);
  await storage.identities.link(anIdentity(1));
  await storage.directoryTokens.add(directoryToken);
  await withCodes(storage, 1);
  await storage.secondFactors.setCode({ userId: 2, encryptedSecret: 'waits' });
  const session = { userId: 1, boundTo: null, createdAt: noon, passwordHash: null };
  for (const hash of ['a session', 'another session']) await storage.sessions.create({ ...session, hash });
  return { invitationId: idOf(1), deliveryId };
}
