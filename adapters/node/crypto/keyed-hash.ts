import { createHmac, type KeyObject } from 'node:crypto';
import type { TokenPurpose } from '@rollcall/core';
import type { MasterKey } from './keyring.js';

/** A text's hash, with the key of this purpose. It begins with the id of its key. */
export function keyedHash(
  master: MasterKey,
  purpose: TokenPurpose | 'access-key' | 'recovery-code' | 'form',
  text: string,
): string {
  return `${master.id}.${hmac(master.keys[purpose], text).toString('base64url')}`;
}

export function hmac(key: KeyObject | Buffer, data: string | Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
