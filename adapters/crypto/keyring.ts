import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** What a derived key is for. Each has bytes of its own, so that nothing made for one purpose is worth anything for another. */
export type KeyPurpose =
  | 'token'
  | 'access-key'
  | 'login-link'
  | 'session'
  | 'calendar'
  | 'invitation'
  | 'seal'
  | 'form';

/** One master key. Only keys that are derived from it are used. */
export interface MasterKey {
  /** Eight hex digits that name the key without telling anything about it. */
  readonly id: string;
  readonly keys: Readonly<Record<KeyPurpose, KeyObject>>;
}

export interface Keyring {
  /** Everything new is made under this one. */
  readonly current: MasterKey;
  /** Each key once, the current one first. */
  readonly all: readonly MasterKey[];
  byId(keyId: string): MasterKey | null;
}

const SHORTEST_SECRET_KEY = 32;

/**
 * All keys of the service, derived with HKDF-SHA256 from the operator's secret key; what previous ones made
 * is still read. Throws when a secret key is shorter than 32 characters.
 */
export function createKeyring(secrets: {
  readonly secretKey: string;
  readonly previousSecretKeys: readonly string[];
}): Keyring {
  const masters = [...new Set([secrets.secretKey, ...secrets.previousSecretKeys])];
  if (masters.some((master) => master.length < SHORTEST_SECRET_KEY)) {
    throw new Error(`A secret key must have at least ${SHORTEST_SECRET_KEY} characters.`);
  }

  const all = masters.map(masterKey);
  const current = masterKey(secrets.secretKey);
  const byId = new Map(all.map((key) => [key.id, key]));
  return { current, all, byId: (keyId) => byId.get(keyId) ?? null };
}

function masterKey(master: string): MasterKey {
  const key = (purpose: KeyPurpose): KeyObject => createSecretKey(derive(master, purpose, 32));
  return {
    id: derive(master, 'key-id', 4).toString('hex'),
    keys: {
      token: key('token'),
      'access-key': key('access-key'),
      'login-link': key('login-link'),
      session: key('session'),
      calendar: key('calendar'),
      invitation: key('invitation'),
      seal: key('seal'),
      form: key('form'),
    },
  };
}

function derive(master: string, purpose: KeyPurpose | 'key-id', length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `rollcall/${purpose}/v1`, length));
}
