import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** The purpose of a derived key. Each purpose has its own key, so that a token for one is invalid for all others. */
export type KeyPurpose =
  | 'token'
  | 'access-key'
  | 'directory'
  | 'login-link'
  | 'setup-link'
  | 'session'
  | 'session-id'
  | 'calendar'
  | 'password-reset'
  | 'recovery-code'
  | 'invitation'
  | 'seal'
  | 'form'
  | 'browser';

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
  const key = (purpose: KeyPurpose): KeyObject => createSecretKey(derive(master, purpose, 32));
  return {
    id: derive(master, 'key-id', 4).toString('hex'),
    keys: {
      token: key('token'),
      'access-key': key('access-key'),
      directory: key('directory'),
      'login-link': key('login-link'),
      'setup-link': key('setup-link'),
      session: key('session'),
      'session-id': key('session-id'),
      calendar: key('calendar'),
      'password-reset': key('password-reset'),
      'recovery-code': key('recovery-code'),
      invitation: key('invitation'),
      seal: key('seal'),
      form: key('form'),
      browser: key('browser'),
    },
  };
}

function derive(master: string, purpose: KeyPurpose | 'key-id', length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `rollcall/${purpose}/v1`, length));
}
