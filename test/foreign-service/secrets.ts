import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  randomInt,
  randomUUID,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import {
  type CommonPasswords,
  type Ids,
  type Passwords,
  Secret,
  type Secrets,
  type TokenClaims,
  type Tokens,
} from '@rollcall/core';

/**
 * Derives one key for each purpose from the service's secret key, so that a value for one purpose is invalid for
 * another.
 */
function keyFor(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', `harbor/${purpose}`, 32));
}

function mac(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const RANDOM_TOKEN = /^[\w-]{43}$/;

/** This service has one key. A service that rotates keys names the key in `keyId` and hashes under all of them. */
export function harborSecrets(secretKey: string): Secrets {
  const keys = {
    accessKey: keyFor(secretKey, 'access-key'),
    'login-link': keyFor(secretKey, 'login-link'),
    session: keyFor(secretKey, 'session'),
    sessionId: keyFor(secretKey, 'session-id'),
    calendar: keyFor(secretKey, 'calendar'),
    'password-reset': keyFor(secretKey, 'password-reset'),
    invitation: keyFor(secretKey, 'invitation'),
    encryption: keyFor(secretKey, 'encryption'),
  };
  const invitationToken = (id: string): string => `${id}.${mac(keys.invitation, id)}`;
  return {
    newAccessKey: () => new Secret(Array.from({ length: 24 }, () => randomInt(10)).join('')),
    accessKeyHashes: (accessKey) => [mac(keys.accessKey, accessKey)],

    newToken(purpose) {
      const token = randomBytes(32).toString('base64url');
      return { token: new Secret(token), hash: mac(keys[purpose], token) };
    },
    tokenHash: (purpose, token) => (RANDOM_TOKEN.test(token) ? mac(keys[purpose], token) : null),

    sessionId: (hash) => mac(keys.sessionId, hash),

    keyId: 'only',
    invitationToken: ({ id }) => new Secret(invitationToken(id)),
    readInvitationToken(token) {
      const [id = ''] = token.split('.', 1);
      return isSame(token, invitationToken(id)) ? id : null;
    },

    newSigningSecret: () => new Secret(`whsec_${randomBytes(32).toString('base64')}`),
    encrypt({ secret, organizationId }) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keys.encryption, nonce).setAAD(
        Buffer.from(`${organizationId}`),
      );
      const text = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()]);
      return [nonce, cipher.getAuthTag(), text].map((part) => part.toString('base64url')).join('.');
    },
    decrypt({ encrypted, organizationId }) {
      const [nonce, tag, text] = encrypted.split('.').map((part) => Buffer.from(part, 'base64url'));
      if (nonce === undefined || tag === undefined || text === undefined)
        throw new Error('This is not an encrypted secret');
      const decipher = createDecipheriv('aes-256-gcm', keys.encryption, nonce, { authTagLength: 16 })
        .setAAD(Buffer.from(`${organizationId}`))
        .setAuthTag(tag);
      return new Secret(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'));
    },
    sign: ({ body, secret }) => createHmac('sha256', secret.reveal()).update(body, 'utf8').digest('hex'),
    signBase64({ text, secret }) {
      const key = Buffer.from(secret.reveal().slice('whsec_'.length), 'base64');
      return createHmac('sha256', key).update(text, 'utf8').digest('base64');
    },
  };
}

interface Payload {
  readonly sub: number;
  readonly gen: number;
  readonly iat: number;
  readonly exp: number;
}

/** JSON Web Tokens with one algorithm: a token whose header is not exactly ours is refused. */
export function harborTokens(secretKey: string): Tokens {
  const key = keyFor(secretKey, 'token');
  const header = encode({ alg: 'HS256', typ: 'JWT' });
  return {
    async issue({ organizationId, generation, issuedAt, expiresAt }) {
      const times = { iat: seconds(issuedAt), exp: seconds(expiresAt) };
      const text = `${header}.${encode({ sub: organizationId, gen: generation, ...times })}`;
      return new Secret(`${text}.${mac(key, text)}`);
    },
    async read(token) {
      const [head = '', payload = '', signature = '', ...rest] = token.split('.', 4);
      const isOurs = head === header && isSame(signature, mac(key, `${head}.${payload}`));
      return isOurs && rest.length === 0 ? toClaims(payload) : null;
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

function toClaims(payload: string): TokenClaims {
  const { sub, gen, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Payload;
  return {
    organizationId: sub,
    generation: gen,
    issuedAt: new Date(iat * 1000),
    expiresAt: new Date(exp * 1000),
  };
}

const deriveKey = promisify<string, Buffer, number, Buffer>(scrypt);

/** The scrypt of Node, with a salt for each password. */
/** A short list. A real service reads a long one from a file or a package. */
export const worstPasswords: CommonPasswords = {
  async has(password) {
    const worst = ['password', '12345678', '123456789', 'qwertyuiop', 'iloveyou'];
    return worst.includes(password.reveal().toLowerCase());
  },
};

export const scryptPasswords: Passwords = {
  async hash(password) {
    const salt = randomBytes(16);
    const key = await deriveKey(password.reveal(), salt, 32);
    return `${salt.toString('base64url')}.${key.toString('base64url')}`;
  },
  async verify({ password, hash: readHash }) {
    const hash = await readHash();
    // Without a hash the same work is done, so that the time does not reveal who has an account.
    const [salt = '', known = ''] = (hash ?? `${'A'.repeat(22)}.${'A'.repeat(43)}`).split('.');
    const key = await deriveKey(password.reveal(), Buffer.from(salt, 'base64url'), 32);
    return isSame(key.toString('base64url'), known) && hash !== null;
  },
};

export const randomIds: Ids = { uuid: () => randomUUID() };
