import type { StoragePorts } from '../ports.js';
import type { Identity } from '../users/ports/identities.js';
import type { SignOnSettings } from '../users/ports/sign-ons.js';
import { noon } from './noon.js';

/** Sign-on that is on. */
export function aSignOn(fields: Partial<SignOnSettings> = {}): SignOnSettings {
  return {
    issuer: 'https://idp.example',
    clientId: 'rollcall',
    encryptedSecret: 'sealed',
    idClaim: 'sub',
    hostedDomain: null,
    admits: 'provisioned',
    acr: null,
    isOn: true,
    isRequired: false,
    secretExpiresOn: null,
    tested: null,
    changedAt: noon,
    ...fields,
  };
}

/** The identity of a member of organization 1. */
export function anIdentity(userId: number, fields: Partial<Identity> = {}): Omit<Identity, 'usedAt'> {
  const { usedAt: _, ...rest } = fields;
  const { issuer } = aSignOn();
  return { organizationId: 1, issuer, subject: `subject ${userId}`, userId, linkedAt: noon, ...rest };
}

/** Turns sign-on on in these organizations. */
export async function withSignOn(
  { signOns }: Pick<StoragePorts, 'signOns'>,
  organizationIds: readonly number[],
): Promise<void> {
  for (const id of organizationIds) await signOns.save(id, () => aSignOn());
}

/** A session that sign-on starts in organization 1. */
export function aBoundSession(userId: number, hash: string, sid: string | null = null) {
  const started = { startedBy: 'sign-on', createdAt: noon, passwordHash: null } as const;
  return { hash, userId, boundTo: 1, sid, ...started };
}
