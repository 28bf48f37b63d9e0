import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { type CommonPasswords, type Passwords, Secret, type Secrets, type Tokens } from '@rollcall/core';
import {
  commonPasswordsSuite,
  passwordsSuite,
  plainPasswords,
  rotatedSecretsSuite,
  rotatedTokensSuite,
  type SecretKeys,
  secretsSuite,
  tokensSuite,
} from '@rollcall/core/testing';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import type { PlantedBug } from './planted-bug.js';

const keyring = ({ current, previous }: SecretKeys) =>
  createKeyring({ secretKey: current, previousSecretKeys: previous });

function secretsBug(bug: string, change: (right: Secrets, keys: SecretKeys) => Partial<Secrets>): PlantedBug {
  const start = async (keys: SecretKeys): Promise<Secrets> => {
    const right = keyedSecrets(keyring(keys));
    return { ...right, ...change(right, keys) };
  };
  return { bug: `Secrets: ${bug}`, suite: [...secretsSuite(start), ...rotatedSecretsSuite(start)] };
}

function tokensBug(bug: string, change: (right: Tokens, keys: SecretKeys) => Partial<Tokens>): PlantedBug {
  const start = async (keys: SecretKeys): Promise<Tokens> => {
    const right = jwtTokens(keyring(keys));
    return { ...right, ...change(right, keys) };
  };
  return { bug: `Tokens: ${bug}`, suite: [...tokensSuite(start), ...rotatedTokensSuite(start)] };
}

function passwordsBug(bug: string, change: (right: Passwords) => Partial<Passwords>): PlantedBug {
  const start = async (): Promise<Passwords> => {
    const right = plainPasswords();
    return { ...right, ...change(right) };
  };
  return { bug: `Passwords: ${bug}`, suite: passwordsSuite(start) };
}

const worst = new Set(['password', '12345678', 'qwertyuiop', 'iloveyou']);

function commonPasswordsBug(bug: string, has: CommonPasswords['has']): PlantedBug {
  return { bug: `CommonPasswords: ${bug}`, suite: commonPasswordsSuite(async () => ({ has })) };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const hmac = (key: string, body: string | Buffer, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(body);

/** Encrypts without authentication. */
const counterMode = (key: string) => createHash('sha256').update(key).digest();

const signing: readonly PlantedBug[] = [
  secretsBug('signatures use SHA-1', () => ({
    sign: ({ body, secret }) => hmac(secret.reveal(), body, 'sha1').digest('hex'),
  })),
  secretsBug('signatures are base64', () => ({
    sign: ({ body, secret }) => hmac(secret.reveal(), body).digest('base64'),
  })),
  secretsBug('signatures are upper-case hex', (right) => ({
    sign: (input) => right.sign(input).toUpperCase(),
  })),
  secretsBug('signatures are a hash of secret and body, not an HMAC', () => ({
    sign: ({ body, secret }) => sha256(secret.reveal() + body),
  })),
  secretsBug('the body is signed as Latin-1', () => ({
    sign: ({ body, secret }) => hmac(secret.reveal(), Buffer.from(body, 'latin1')).digest('hex'),
  })),
  secretsBug('the prefix of the secret is not part of the key', () => ({
    sign: ({ body, secret }) => hmac(secret.reveal().replace('whsec_', ''), body).digest('hex'),
  })),
  secretsBug('only the first 64 KiB of a body are signed', (right) => ({
    sign: ({ body, secret }) => right.sign({ body: body.slice(0, 65_536), secret }),
  })),
  secretsBug('keys longer than a block of SHA-256 are cut', () => ({
    sign: ({ body, secret }) => hmac(secret.reveal().slice(0, 64), body).digest('hex'),
  })),
  secretsBug('signBase64 is keyed with the text of the secret', () => ({
    signBase64: ({ text, secret }) => hmac(secret.reveal(), text).digest('base64'),
  })),
  secretsBug('signBase64 decodes the prefix of the secret too', () => ({
    signBase64: ({ text, secret }) =>
      createHmac('sha256', Buffer.from(secret.reveal(), 'base64')).update(text).digest('base64'),
  })),
  secretsBug('signatures of signBase64 are base64url', (right) => ({
    signBase64: (input) =>
      right.signBase64(input).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  })),
  secretsBug('signing secrets have 128 bits', () => ({
    newSigningSecret: () => new Secret(`whsec_${randomBytes(16).toString('base64')}`),
  })),
];

const keysAndTokens: readonly PlantedBug[] = [
  secretsBug('access keys count up', () => {
    let last = 0;
    return {
      newAccessKey() {
        last += 1;
        return new Secret(String(last).padStart(24, '0'));
      },
    };
  }),
  secretsBug('access keys are hashed without a secret key', () => ({
    accessKeyHashes: (key) => [sha256(key)],
  })),
  secretsBug('hashes of access keys are cut to 64 bits', (right) => ({
    accessKeyHashes: (key) => right.accessKeyHashes(key).map((hash) => sha256(hash).slice(0, 16)),
  })),
  secretsBug('a hash covers only the first 20 digits of an access key', (right) => ({
    accessKeyHashes: (key) => right.accessKeyHashes(key.slice(0, 20)),
  })),
  secretsBug('the hash of the previous key comes first', (right) => ({
    accessKeyHashes: (key) => [...right.accessKeyHashes(key)].reverse(),
  })),
  secretsBug('a token of one purpose is valid for all', (right) => ({
    newToken: () => right.newToken('session'),
    tokenHash: (_purpose, token) => right.tokenHash('session', token),
  })),
  secretsBug('the id of a session is its hash', () => ({
    sessionId: (hash) => hash.replace(/[^\w-]/g, '_'),
  })),
  secretsBug('ids of sessions are made without a secret key', () => ({
    sessionId: (hash) => sha256(hash),
  })),
  secretsBug('a session has another id each time', () => ({
    sessionId: () => randomBytes(16).toString('hex'),
  })),
  secretsBug('ids of sessions have 8 bits', (right) => ({
    sessionId: (hash) => right.sessionId(hash).slice(0, 2),
  })),
  secretsBug('a rotation changes the ids of sessions', (right) => ({
    sessionId: (hash) => `${right.keyId}-${right.sessionId(hash)}`,
  })),
  secretsBug('tokens have 64 bits', (right) => ({
    newToken(purpose) {
      const token = randomBytes(8).toString('hex');
      return { token: new Secret(token), hash: right.accessKeyHashes(purpose + token)[0] ?? '' };
    },
    tokenHash: (purpose, token) =>
      /^[0-9a-f]{16}$/.test(token) ? (right.accessKeyHashes(purpose + token)[0] ?? '') : null,
  })),
  secretsBug('a token in upper case has the same hash', (right) => ({
    newToken(purpose) {
      const { token } = right.newToken(purpose);
      return { token, hash: sha256(purpose + token.reveal().toLowerCase()) };
    },
    tokenHash: (purpose, token) => right.tokenHash(purpose, token) && sha256(purpose + token.toLowerCase()),
  })),
  secretsBug('invitation tokens are the encoded id, without a signature', () => ({
    invitationToken: ({ id }) => new Secret(Buffer.from(id).toString('base64url')),
    readInvitationToken(token) {
      const id = Buffer.from(token, 'base64url').toString();
      return /^[0-9a-f-]{36}$/.test(id) ? id : null;
    },
  })),
  secretsBug('characters after an invitation token are ignored', (right) => ({
    readInvitationToken: (token) =>
      right.readInvitationToken(token) ?? right.readInvitationToken(token.slice(0, -1)),
  })),
  secretsBug('invitation tokens change with the current key', (right) => ({
    invitationToken: ({ id }) => right.invitationToken({ id, keyId: right.keyId }),
  })),
  secretsBug('data of the previous key cannot be read', (_right, { current }) =>
    keyedSecrets(keyring({ current, previous: [] })),
  ),
];

const encryption: readonly PlantedBug[] = [
  secretsBug('secrets are encoded, not encrypted', () => ({
    encrypt: ({ secret, ...owner }) =>
      `${Object.values(owner)[0]}.${randomBytes(4).toString('hex')}.${Buffer.from(secret.reveal()).toString('base64')}`,
    decrypt: ({ encrypted }) => new Secret(Buffer.from(encrypted.split('.')[2] ?? '', 'base64').toString()),
  })),
  secretsBug('encryption is not authenticated', (_right, { current }) => ({
    encrypt({ secret }) {
      const nonce = randomBytes(16);
      const cipher = createCipheriv('aes-256-ctr', counterMode(current), nonce);
      return `${nonce.toString('base64url')}.${cipher.update(secret.reveal()).toString('base64url')}`;
    },
    decrypt({ encrypted }) {
      const [nonce = '', text = ''] = encrypted.split('.');
      const decipher = createDecipheriv('aes-256-ctr', counterMode(current), Buffer.from(nonce, 'base64url'));
      return new Secret(decipher.update(Buffer.from(text, 'base64url')).toString());
    },
  })),
  secretsBug('the same secret is encrypted to the same text', (right) => {
    const known = new Map<string, string>();
    return {
      encrypt(input) {
        const { secret, ...owner } = input;
        const key = `${JSON.stringify(owner)} ${secret.reveal()}`;
        const text = known.get(key) ?? right.encrypt(input);
        known.set(key, text);
        return text;
      },
    };
  }),
  secretsBug('a secret can be decrypted for another organization', (right) => ({
    encrypt: ({ secret }) => right.encrypt({ secret, organizationId: 1 }),
    decrypt: ({ encrypted }) => right.decrypt({ encrypted, organizationId: 1 }),
  })),
  secretsBug('a removed key is an ordinary error', (right) => ({
    decrypt(input) {
      try {
        return right.decrypt(input);
      } catch {
        throw new Error('This secret cannot be decrypted.');
      }
    },
  })),
];

const tokens: readonly PlantedBug[] = [
  tokensBug('signatures are not checked', (right) => ({
    async read(token) {
      const [, body = ''] = token.split('.');
      try {
        const { sub, gen, iat, exp } = JSON.parse(Buffer.from(body, 'base64url').toString());
        return {
          ...{ organizationId: Number(sub), generation: gen },
          ...{ issuedAt: new Date(iat * 1000), expiresAt: new Date(exp * 1000) },
        };
      } catch {
        return right.read(token);
      }
    },
  })),
  tokensBug('an expired token is null', (right) => ({
    async read(token) {
      const claims = await right.read(token);
      return claims !== null && claims.expiresAt.getTime() > Date.now() ? claims : null;
    },
  })),
  tokensBug('ids of organizations have 32 bits', (right) => ({
    async read(token) {
      const claims = await right.read(token);
      return claims && { ...claims, organizationId: claims.organizationId | 0 };
    },
  })),
  tokensBug('a token is remembered by its first 40 characters', (right) => {
    const known = new Map<string, Awaited<ReturnType<Tokens['read']>>>();
    return {
      async read(token) {
        const claims = known.get(token.slice(0, 40)) ?? (await right.read(token));
        known.set(token.slice(0, 40), claims);
        return claims;
      },
    };
  }),
  tokensBug('each instance has its own random key', () =>
    jwtTokens(keyring({ current: randomBytes(32).toString('hex'), previous: [] })),
  ),
  tokensBug('tokens of the previous key are not read', (_right, { current }) =>
    jwtTokens(keyring({ current, previous: [] })),
  ),
];

const passwords: readonly PlantedBug[] = [
  passwordsBug('a password is cut after 72 bytes', ({ hash, verify }) => {
    const cut = (password: Secret) =>
      new Secret(Buffer.from(password.reveal()).subarray(0, 72).toString('latin1'));
    return {
      hash: (password) => hash(cut(password)),
      verify: (attempt) => verify({ ...attempt, password: cut(attempt.password) }),
    };
  }),
  passwordsBug('hashes have no salt', () => ({
    hash: async (password) => sha256(password.reveal()),
    verify: async ({ password, hash }) => (await hash()) === sha256(password.reveal()),
  })),
  passwordsBug('spaces at the ends do not count', ({ hash, verify }) => ({
    hash: (password) => hash(new Secret(password.reveal().trim())),
    verify: (attempt) => verify({ ...attempt, password: new Secret(attempt.password.reveal().trim()) }),
  })),
  passwordsBug('any password matches if there is no hash', ({ verify }) => ({
    verify: async (attempt) => (await attempt.hash()) === null || verify(attempt),
  })),
  passwordsBug('an error of hash is a wrong password', ({ verify }) => ({
    verify: (attempt) => verify(attempt).catch(() => false),
  })),
];

const commonPasswords: readonly PlantedBug[] = [
  commonPasswordsBug('nothing is common', async () => false),
  commonPasswordsBug('upper case is a way around the list', async (password) => worst.has(password.reveal())),
  commonPasswordsBug('every password that begins like a common one is common', async (password) =>
    [...worst].some((one) => password.reveal().toLowerCase().startsWith(one)),
  ),
  commonPasswordsBug('spaces at the ends do not count', async (password) =>
    worst.has(password.reveal().toLowerCase().trim()),
  ),
  commonPasswordsBug('the properties of every object are common', async (password) => {
    const list: Readonly<Record<string, true>> = Object.fromEntries([...worst].map((one) => [one, true]));
    return password.reveal().toLowerCase() in list;
  }),
];

export const cryptoBugs: readonly PlantedBug[] = [
  ...signing,
  ...keysAndTokens,
  ...encryption,
  ...tokens,
  ...passwords,
  ...commonPasswords,
];
