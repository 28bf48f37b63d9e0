import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM. The text can be decrypted with the same key and context only. */
export function encryptText(
  key: KeyObject,
  { text, context }: { readonly text: string; readonly context: string },
): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context, 'utf8'));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
}

/** Throws if `encryptText` did not make the text with this key and context. */
export function decryptText(
  key: KeyObject,
  { encrypted, context }: { readonly encrypted: string; readonly context: string },
): string {
  const bytes = Buffer.from(encrypted, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('This is not an encrypted text.');

  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context, 'utf8'))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  const decrypted = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([decrypted, decipher.final()]).toString('utf8');
}
