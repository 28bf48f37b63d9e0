import { tokenLifetimeMs } from '@rollcall/core/rules';
import type { Keyring } from '@rollcall/node';
import { type NeedingOrganization, nothingStored, type StoredUnderKey } from '@rollcall/sql/maintenance';
import type { SecretKeyStore } from './secret-key-store.js';

/** A `previous` key is in SECRET_KEY_PREVIOUS. A `missing` key is needed by stored data, but not configured. */
export type KeyRole = 'current' | 'previous' | 'missing';

export interface KeyState {
  readonly keyId: string;
  readonly role: KeyRole;
  readonly stored: StoredUnderKey;
  /** When the last token, login link or session of this key expires. Null when unknown, and for the current key. */
  readonly tokensUntil: Date | null;
  /** Whether nothing needs the key. Always false for the current one. */
  readonly canBeDropped: boolean;
}

/** How often a running server records that its key is in use. */
export const KEY_USE_INTERVAL_MS = 10 * 60_000;

/** The state of each key that is configured or that stored data needs, the current one first. */
export async function keyStates({
  secretKeyStore,
  keyring: { current, all },
  now,
}: {
  readonly secretKeyStore: SecretKeyStore;
  readonly keyring: Keyring;
  readonly now: Date;
}): Promise<readonly KeyState[]> {
  const needs = await secretKeyStore.needs({ now });
  const configured = all.map(({ id }) => id);
  const others = needs.map(({ keyId }) => keyId).filter((keyId) => !configured.includes(keyId));
  return [...configured, ...others].flatMap((keyId) => {
    const need = needs.find((one) => one.keyId === keyId);
    const stored = need?.stored ?? nothingStored;
    const role = keyId === current.id ? 'current' : configured.includes(keyId) ? 'previous' : 'missing';
    if (role === 'missing' && isEmpty(stored)) return [];
    const tokensUntil = role === 'current' ? null : endOfTokens(need?.usedAt ?? null);
    const canBeDropped = tokensUntil !== null && tokensUntil <= now && isEmpty(stored);
    return [{ keyId, role, stored, tokensUntil, canBeDropped }];
  });
}

function isEmpty(stored: StoredUnderKey): boolean {
  return Object.values(stored).every((count) => count === 0);
}

/** Tokens live longest. A server may have made tokens until just before it would have recorded the next use. */
function endOfTokens(usedAt: Date | null): Date | null {
  return usedAt === null ? null : new Date(usedAt.getTime() + KEY_USE_INTERVAL_MS + tokenLifetimeMs);
}

/** The maximum number of organizations to name. */
export const MAX_NAMED_ORGANIZATIONS = 20;

/** The organizations whose data needs a key. */
export interface KeyDependents {
  readonly named: readonly NeedingOrganization[];
  readonly hasMore: boolean;
}

export async function findKeyDependents(
  secretKeyStore: SecretKeyStore,
  { keyId, now }: { readonly keyId: string; readonly now: Date },
): Promise<KeyDependents> {
  const limit = MAX_NAMED_ORGANIZATIONS + 1;
  const found = await secretKeyStore.organizationsNeeding({ keyId, now, limit });
  return { named: found.slice(0, MAX_NAMED_ORGANIZATIONS), hasMore: found.length === limit };
}
