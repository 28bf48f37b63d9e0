import { tokenLifetime } from '@rollcall/core';
import type { Keyring } from '#adapters/crypto/keyring.js';
import {
  type Database,
  keyNeeds,
  type NeedingOrganization,
  noteSecretKeyUse,
  organizationsNeeding,
  type StoredUnderKey,
} from '#adapters/sql/index.js';
import { type Assembly, names } from './container.js';

/** `previous`: named in SECRET_KEY_PREVIOUS; `missing`: something needs it, and it is not configured. */
export type KeyRole = 'current' | 'previous' | 'missing';

export interface KeyState {
  readonly keyId: string;
  readonly role: KeyRole;
  readonly stored: StoredUnderKey;
  /** Tokens, login links and sessions that were made with it are over then; null: no time is known, or it is current. */
  readonly tokensUntil: Date | null;
  /** Nothing is worth less without it. False for the current one. */
  readonly canBeDropped: boolean;
}

/** How often a server that runs notes that its key is in use. */
const USE_NOTED_EVERY_MS = 10 * 60_000;

/** The state of each key that is configured or that something stored needs, the current one first. */
export async function keyStates({
  database,
  keyring: { current, all },
  now,
}: {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly now: Date;
}): Promise<readonly KeyState[]> {
  const needs = await keyNeeds(database, { now });
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

export function statesOf(assembly: Assembly): Promise<readonly KeyState[]> {
  const now = assembly.get(names.ports).clock.now();
  return keyStates({ database: assembly.get(names.database), keyring: assembly.get(names.keyring), now });
}

const nothingStored: StoredUnderKey = {
  webhookSecrets: 0,
  accessKeys: 0,
  invitations: 0,
  calendarFeeds: 0,
  loginLinks: 0,
  sessions: 0,
};

function isEmpty(stored: StoredUnderKey): boolean {
  return Object.values(stored).every((count) => count === 0);
}

/** Tokens live longest; a server may have made them until just before its next note. */
function endOfTokens(usedAt: Date | null): Date | null {
  return usedAt === null ? null : new Date(usedAt.getTime() + USE_NOTED_EVERY_MS + tokenLifetime);
}

/** Organizations that are named at once. */
export const MAX_NAMED_ORGANIZATIONS = 20;

export interface Needing {
  readonly named: readonly NeedingOrganization[];
  readonly hasMore: boolean;
}

export async function needing(assembly: Assembly, keyId: string): Promise<Needing> {
  const limit = MAX_NAMED_ORGANIZATIONS + 1;
  const found = await organizationsNeeding(assembly.get(names.database), { keyId, limit });
  return { named: found.slice(0, MAX_NAMED_ORGANIZATIONS), hasMore: found.length === limit };
}

/** Tells at start what needs a key that is not there, and which previous key nothing needs. */
export async function warnAboutKeys(assembly: Assembly): Promise<void> {
  const log = assembly.get(names.log);
  for (const { keyId, role, stored, canBeDropped } of await statesOf(assembly)) {
    if (role === 'missing') {
      const { named, hasMore } = await needing(assembly, keyId);
      const organizations = named.map(({ id, name }) => ({ id, name }));
      log.warn(
        { keyId, stored, organizations, hasMore },
        'Something stored needs a secret key that is not configured: its webhooks fail, its access keys are refused. See: rollcall keys',
      );
    }
    if (role === 'previous' && canBeDropped)
      log.warn({ keyId }, 'Nothing needs this key of SECRET_KEY_PREVIOUS any more: it can be left out');
  }
}

/** Notes again and again, until it is stopped, that new things are made with the current key. */
export async function startNotingKeyUse(
  assembly: Assembly,
  every = USE_NOTED_EVERY_MS,
): Promise<{ stop(): Promise<void> }> {
  const database = assembly.get(names.database);
  const { current } = assembly.get(names.keyring);
  const { clock } = assembly.get(names.ports);
  const note = (): Promise<void> => noteSecretKeyUse(database, { keyId: current.id, at: clock.now() });
  await note();
  // With the database away the next one does.
  const timer = setInterval(() => void note().catch(() => undefined), every).unref();
  return {
    async stop() {
      clearInterval(timer);
      await note().catch(() => undefined);
    },
  };
}
