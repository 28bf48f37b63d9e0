import { hkdfSync } from 'node:crypto';
import { createKeyring } from '#adapters/node/crypto/keyring.js';

export const FIRST = 'the first secret key, 32 or more characters';

export const SECOND = 'the second secret key, 32 or more characters';

export const first = createKeyring({ secretKey: FIRST, previousSecretKeys: [] });

export const second = createKeyring({ secretKey: SECOND, previousSecretKeys: [] });

export const rotated = createKeyring({ secretKey: SECOND, previousSecretKeys: [FIRST] });

/** Derives a key with HKDF (RFC 5869) independently of the keyring. */
export function deriveKey(master: string, purpose: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `rollcall/${purpose}/v1`, length));
}
