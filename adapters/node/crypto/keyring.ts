import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** The purposes of derived keys. Each has its own key, so that a token for one is invalid for all others. */
const purposes = [
  'token',
  'access-key',
  'directory',
  'login-link',
  'setup-link',
  'session',
  'session-id',
  'calendar',
  'password-reset',
  'recovery-code',
  'invitation',
  'seal',
  'form',
  'browser',
] as const;

export type KeyPurpose = (typeof purposes)[number];

/** A master key of the operator. Only the keys that are derived from it are used. */
export interface MasterKey {
  /** Eight hex digits that identify the key and reveal nothing about it. */
  readonly id: string;
  readonly keys: Readonly<Record<KeyPurpose, KeyObject>>;
}

export interface Keyring {
  /** The key for all new tokens, hashes and encrypted texts. */
  readonly current: MasterKey;
  /** Every key once, the current one first. */
  readonly all: readonly MasterKey[];
  byId(keyId: string): MasterKey | null;
}

const MIN_SECRET_KEY_CHARACTERS = 32;

/**
 * Derives all keys of the service from the operator's secret keys, with HKDF-SHA256. Data of previous secret keys can
 * still be read. Throws if a secret key is shorter than 32 characters.
 */
export function createKeyring(secrets: {
  readonly secretKey: string;
  readonly previousSecretKeys?: readonly string[] | undefined;
}): Keyring {
  const masters = [...new Set([secrets.secretKey, ...(secrets.previousSecretKeys ?? [])])];
  if (masters.some((master) => master.length < MIN_SECRET_KEY_CHARACTERS)) {
    throw new Error(`A secret key must have at least ${MIN_SECRET_KEY_CHARACTERS} characters.`);
  }

  const all = masters.map(masterKey);
  const current = masterKey(secrets.secretKey);
  const byId = new Map(all.map((key) => [key.id, key]));
  return { current, all, byId: (keyId) => byId.get(keyId) ?? null };
}

function masterKey(master: string): MasterKey {
  const keys = purposes.map((purpose) => [purpose, createSecretKey(derive(master, purpose, 32))] as const);
  return {
    id: derive(master, 'key-id', 4).toString('hex'),
    keys: Object.fromEntries(keys) as MasterKey['keys'],
  };
}

function derive(master: string, purpose: KeyPurpose | 'key-id', length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `rollcall/${purpose}/v1`, length));
}
