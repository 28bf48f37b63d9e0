import { hkdfSync } from 'node:crypto';
import { createKeyring } from '#adapters/crypto/keyring.js';

export const FIRST = 'the first secret key, 32 or more characters';

export const SECOND = 'the second secret key, 32 or more characters';

export const first = createKeyring({ secretKey: FIRST, previousSecretKeys: [] });

export const second = createKeyring({ secretKey: SECOND, previousSecretKeys: [] });

export const replaced = createKeyring({ secretKey: SECOND, previousSecretKeys: [FIRST] });

/** What RFC 5869 makes of a master key, asked for without the keyring. */
export function derived(master: string, purpose: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `rollcall/${purpose}/v1`, length));
}
