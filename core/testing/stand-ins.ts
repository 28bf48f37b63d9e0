import type { Limits } from '../access/ports/limits.js';
import type { SecretOwner, Secrets } from '../access/ports/secrets.js';
import type { TokenClaims, Tokens } from '../access/ports/tokens.js';
import type { Clock, Ids, Ports } from '../ports.js';
import type { CommonPasswords, Passwords } from '../users/ports/passwords.js';
import { Secret } from '../values/secret.js';
import type { Attempt, AttemptResponse } from '../webhooks/ports/deliveries.js';
import type { Dispatcher } from '../webhooks/ports/dispatcher.js';
import type { WebhookRequest, WebhookSender } from '../webhooks/ports/webhook-sender.js';
import { testUuid } from './dataset.js';
import { memoryStorage } from './memory/memory-storage.js';
import { noon } from './noon.js';

/** A clock that stands still until it is set or advanced. A pause ends at once and advances the clock. */
export function fixedClock(
  start: Date,
): Clock & { set(time: Date): void; advance(milliseconds: number): void } {
  let now = start;
  const advance = (milliseconds: number): void => {
    now = new Date(now.getTime() + milliseconds);
  };
  return {
    now: () => now,
    async pause(milliseconds) {
      advance(milliseconds);
    },
    set(time) {
      now = time;
    },
    advance,
  };
}

/** UUIDs that count up from 1. */
export function countedIds(): Ids {
  let last = 0;
  return {
    uuid() {
      last += 1;
      return testUuid(last);
    },
  };
}

/** Readable secrets, so that a failing test shows them. They protect nothing. */
export function plainSecrets(): Secrets {
  let last = 0;
  const next = (): string => {
    last += 1;
    return String(last);
  };
  return {
    keyId: 'key',
    newAccessKey: () => new Secret(next().padStart(24, '0')),
    accessKeyHashes: (accessKey) => [`hash of ${accessKey}`],
    newToken(purpose) {
      const token = `${purpose}-${next()}`;
      return { token: new Secret(token), hash: `hash of ${token}` };
    },
    tokenHash: (purpose, token) => (token.startsWith(`${purpose}-`) ? `hash of ${token}` : null),
    sessionId: (hash) => `session-${hash.replace(/[^\w-]/g, '_')}`,
    invitationToken: ({ id, keyId }) => new Secret(`${keyId}.${id}`),
    readInvitationToken: (token) => (token.startsWith('key.') ? token.slice('key.'.length) : null),
    newSigningSecret: () => new Secret(`whsec_${next()}`),
    encrypt: ({ secret, ...owner }) => `${ownerText(owner)}:${secret.reveal()}`,
    decrypt({ encrypted, ...owner }) {
      const prefix = `${ownerText(owner)}:`;
      if (!encrypted.startsWith(prefix)) throw new Error('Encrypted for another owner');
      return new Secret(encrypted.slice(prefix.length));
    },
    newCodeSecret: () => new Secret(next()),
    // The code of a step is its last six digits.
    codeStep({ code, at }) {
      const step = Math.floor(at.getTime() / 30_000);
      return [step - 1, step, step + 1].find((one) => String(one).slice(-6) === code) ?? null;
    },
    newRecoveryCode() {
      const letters = [...next()].map((digit) => 'abcdefghij'[Number(digit)]).join('');
      const code = `aaaaa-${letters.padStart(5, 'a')}`;
      return { code: new Secret(code), hash: `hash of ${code}` };
    },
    recoveryCodeHashes: (code) => [`hash of ${code.toLowerCase()}`],
    sign: ({ body, secret }) => `${body} signed with ${secret.reveal()}`,
    signBase64: ({ text, secret }) => `${text} signed with the bytes of ${secret.reveal()}`,
  };
}

function ownerText(owner: SecretOwner): string {
  return 'userId' in owner ? `user ${owner.userId}` : String(owner.organizationId);
}

/** Tokens with a number. Their claims are kept in memory. */
export function plainTokens(): Tokens {
  const made = new Map<string, TokenClaims>();
  return {
    async issue(claims) {
      const token = `token-${made.size + 1}`;
      made.set(token, claims);
      return new Secret(token);
    },
    async read(token) {
      return made.get(token) ?? null;
    },
  };
}

/** Passwords whose hash is a number and the reversed password: fast, and not secure. */
export function plainPasswords(): Passwords {
  // JSON, so that the hash is well-formed and has no NUL, whatever the password is.
  const backwards = (password: Secret): string => JSON.stringify([...password.reveal()].reverse().join(''));
  let count = 0;
  return {
    async hash(password) {
      count += 1;
      return `${count}:${backwards(password)}`;
    },
    async verify({ password, hash }) {
      const stored = await hash();
      return stored !== null && stored.slice(stored.indexOf(':') + 1) === backwards(password);
    },
  };
}

/** The ten most common passwords of 8 characters or more. */
export function fewCommonPasswords(): CommonPasswords {
  const list = new Set([
    'password',
    '12345678',
    '123456789',
    'baseball',
    'football',
    'qwertyuiop',
    '1234567890',
    'superman',
    '1qaz2wsx',
    'iloveyou',
  ]);
  return { has: async (password) => list.has(password.reveal().toLowerCase()) };
}

/** Limits that count on the given clock. */
export function memoryLimits(clock: Pick<Clock, 'now'>): Limits {
  const windows = new Map<string, { count: number; readonly until: number }>();
  const windowOf = (key: string) => {
    const window = windows.get(key);
    return window !== undefined && window.until > clock.now().getTime() ? window : null;
  };
  const secondsLeft = (until: number): number => Math.ceil((until - clock.now().getTime()) / 1000);
  return {
    async waitFor({ name, points }, subject) {
      const window = windowOf(`${name}/${subject}`);
      return points > 0 && window !== null && window.count >= points ? secondsLeft(window.until) : 0;
    },
    async consume({ name, points, seconds }, subject) {
      if (points === 0) return 0;
      const key = `${name}/${subject}`;
      const window = windowOf(key) ?? { count: 0, until: clock.now().getTime() + seconds * 1000 };
      if (window.count >= points) return secondsLeft(window.until);
      window.count += 1;
      windows.set(key, window);
      return 0;
    },
    async forgive({ name }, subject) {
      const window = windowOf(`${name}/${subject}`);
      if (window !== null && window.count > 0) window.count -= 1;
    },
    async clear({ name }, subject) {
      windows.delete(`${name}/${subject}`);
    },
  };
}

/** The result of a stand-in for a sender. Without a response, one with a status is empty. */
export interface SenderAnswer extends Omit<Attempt, 'startedAt'> {
  readonly response?: AttemptResponse | null;
}

/** A sender that records all requests in `sent` and returns the results of `answer`. */
export function recordingSender(
  answer: (request: WebhookRequest) => SenderAnswer = () => answered200,
): WebhookSender & { readonly sent: readonly WebhookRequest[] } {
  const sent: WebhookRequest[] = [];
  return {
    sent,
    refusalOf: () => null,
    async send(request) {
      sent.push(request);
      const { response, ...result } = answer(request);
      const { url, headers } = request;
      return { ...result, request: { url, headers }, response: response ?? emptyResponse(result) };
    },
  };
}

function emptyResponse({ status }: Pick<Attempt, 'status'>): AttemptResponse | null {
  return status === null ? null : { headers: {}, body: '', isTruncated: false };
}

const answered200: SenderAnswer = {
  duration: 12,
  outcome: 'delivered',
  phase: 'answer',
  status: 200,
  reason: 'answered 200',
};

/**
 * All ports in memory, with a clock that stands still at 2026-11-20T12:00:00Z. `replacements` replaces any of them; a
 * clock in it is used by all ports, but is not the one that is returned.
 */
export function memoryPorts(replacements: Partial<Ports> = {}) {
  const clock = fixedClock(noon);
  const storage = memoryStorage();
  const webhookSender = recordingSender();
  const dispatcher: Dispatcher = { wake() {} };
  const ports: Ports = {
    ...storage,
    tokens: plainTokens(),
    passwords: plainPasswords(),
    commonPasswords: fewCommonPasswords(),
    webhookSender,
    dispatcher,
    secrets: plainSecrets(),
    limits: memoryLimits(replacements.clock ?? clock),
    clock,
    ids: countedIds(),
    ...replacements,
  };
  return { ports, clock, webhookSender, load: storage.load };
}
