import { randomBytes, randomInt } from 'node:crypto';
import { Secret, type SecretOwner, type Secrets } from '@rollcall/core';
import { UnknownKey } from '@rollcall/core/adapters';
import { base32, codeStep } from './codes.js';
import { sameText } from './compare.js';
import { decryptText, encryptText } from './encrypted-text.js';
import { hmac, keyedHash } from './keyed-hash.js';
import type { Keyring, MasterKey } from './keyring.js';

const ACCESS_KEY_DIGITS = 24;

/** 32 and 16 bytes in base64url. The unused last bits must be 0, so that the same bytes have only one spelling. */
const BYTES_32 = /^[\w-]{42}[AEIMQUYcgkosw048]$/;
const BYTES_16 = /^[\w-]{21}[AQgw]$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Creates and reads secrets with a separate key for each purpose. Every token, hash and encrypted text contains the id
 * of its key, so that keys can be replaced.
 */
export function keyedSecrets(
  keyring: Keyring,
  {
    accessKeyPrefix = '',
  }: {
    /** Digits with which every new access key begins. A key has 24 digits. */
    readonly accessKeyPrefix?: string;
  } = {},
): Secrets {
  return {
    newAccessKey() {
      const random = Array.from({ length: ACCESS_KEY_DIGITS - accessKeyPrefix.length }, () => randomInt(10));
      return new Secret(accessKeyPrefix + random.join(''));
    },
    accessKeyHashes: (accessKey) => keyring.all.map((master) => keyedHash(master, 'access-key', accessKey)),

    newToken(purpose) {
      const token = `${keyring.current.id}.${randomBytes(32).toString('base64url')}`;
      return { token: new Secret(token), hash: keyedHash(keyring.current, purpose, token) };
    },
    tokenHash(purpose, token) {
      const [keyId = '', random = '', ...rest] = token.split('.', 3);
      const master = keyring.byId(keyId);
      if (master === null || rest.length > 0 || !BYTES_32.test(random)) return null;
      return keyedHash(master, purpose, token);
    },

    sessionId(hash) {
      // With the key of the session, so that a rotation changes no id.
      const { keys } = keyring.byId(hash.split('.', 1)[0] ?? '') ?? keyring.current;
      return hmac(keys['session-id'], hash).toString('base64url');
    },

    keyId: keyring.current.id,
    invitationToken: ({ id, keyId }) =>
      new Secret(invitationToken(keyring.byId(keyId) ?? keyring.current, uuidBytes(id))),
    readInvitationToken(token) {
      const [keyId = '', uuid = ''] = token.split('.', 2);
      const master = keyring.byId(keyId);
      if (master === null || !BYTES_16.test(uuid)) return null;
      const bytes = Buffer.from(uuid, 'base64url');
      return sameText(token, invitationToken(master, bytes)) ? uuidText(bytes) : null;
    },

    newSigningSecret: () => new Secret(`whsec_${randomBytes(32).toString('base64')}`),
    encrypt({ secret, ...owner }) {
      const { id, keys } = keyring.current;
      const context = encryptionContext(owner);
      return `v1.${id}.${encryptText(keys.seal, { text: secret.reveal(), context })}`;
    },
    decrypt({ encrypted, ...owner }) {
      const [version, keyId = '', text = '', ...rest] = encrypted.split('.', 4);
      const master = keyring.byId(keyId);
      if (version !== 'v1' || rest.length > 0) throw new Error('This is not an encrypted secret.');
      if (master === null) throw new UnknownKey(keyId);
      const context = encryptionContext(owner);
      return new Secret(decryptText(master.keys.seal, { encrypted: text, context }));
    },
    newCodeSecret: () => new Secret(base32(randomBytes(20))),
    codeStep: ({ secret, ...given }) => codeStep(secret.reveal(), given),
    newRecoveryCode() {
      const letters = base32(randomBytes(7)).slice(0, 10).toLowerCase();
      const code = `${letters.slice(0, 5)}-${letters.slice(5)}`;
      return { code: new Secret(code), hash: keyedHash(keyring.current, 'recovery-code', letters) };
    },
    recoveryCodeHashes(code) {
      const letters = code.replaceAll(/[\s-]/g, '').toLowerCase();
      return keyring.all.map((master) => keyedHash(master, 'recovery-code', letters));
    },
    sign: ({ body, secret }) => hmac(Buffer.from(secret.reveal(), 'utf8'), body).toString('hex'),
    signBase64: ({ text, secret }) => hmac(signingBytes(secret), text).toString('base64'),
  };
}

/** The bytes that a signing secret encodes. */
function signingBytes(secret: Secret): Buffer {
  return Buffer.from(secret.reveal().replace(/^whsec_/, ''), 'base64');
}

function invitationToken(master: MasterKey, uuid: Buffer): string {
  const mac = hmac(master.keys.invitation, uuid).toString('base64url');
  return `${master.id}.${uuid.toString('base64url')}.${mac}`;
}

/** The authenticated data that binds an encrypted text to its owner. */
function encryptionContext(owner: SecretOwner): string {
  return 'userId' in owner
    ? `rollcall/code-secret/user/${owner.userId}`
    : `rollcall/webhook-secret/organization/${owner.organizationId}`;
}

function uuidBytes(uuid: string): Buffer {
  if (!UUID.test(uuid)) throw new Error('The id of an invitation must be a UUID in lower case.');
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
