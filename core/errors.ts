/**
 * The closed set of expected refusals. An adapter that answers requests maps every code (a
 * new code does not compile until it is mapped); the core knows no status of any protocol.
 */
export type RefusalCode =
  | 'invalid-access-key'
  | 'unauthorized-access'
  | 'not-authorized'
  | 'invalid-request'
  | 'invalid-webhook'
  | 'already-member'
  | 'member-not-found'
  | 'user-not-found'
  | 'invitation-pending'
  | 'invitation-unknown'
  | 'invitation-used'
  | 'invitation-revoked'
  | 'sign-in-required'
  | 'login-link-unknown'
  | 'login-link-used'
  | 'login-link-expired'
  | 'wrong-credentials'
  | 'organization-not-found'
  | 'delivery-not-found'
  | 'calendar-feed-unknown'
  | 'meeting-not-found'
  | 'too-many-requests'
  | 'role-too-low'
  | 'session-bound'
  | 'last-owner'
  | 'access-key-outdated'
  | 'webhook-outdated'
  | 'webhook-test-under-way';

/** An expected no: its code is for programs, its messages are for people. Everything else that is thrown is a bug. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** Every reason at once; never empty. */
  readonly messages: readonly string[];
  /** Seconds after which asking again makes sense; only with `too-many-requests`. */
  readonly retryAfter: number | null;

  constructor(code: RefusalCode, messages: string | readonly string[], retryAfter: number | null = null) {
    const all = typeof messages === 'string' ? [messages] : messages;
    super(all.join(' '));
    this.code = code;
    this.messages = all;
    this.retryAfter = retryAfter;
  }
}

/** Thrown by `Secrets.decrypt` when the key that encrypted a secret is not configured. The id of a key is no secret. */
export class UnknownKey extends Error {
  override readonly name = 'UnknownKey';
  readonly keyId: string;

  constructor(keyId: string) {
    super(`The key ${keyId} that sealed a secret is not known any more.`);
    this.keyId = keyId;
  }
}

/** Thrown by adapters when what they stand for (a database, mostly) can't be reached or is busy right now. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  /** Seconds after which asking again makes sense. */
  readonly retryAfter: number;

  constructor(message: string, options: { readonly retryAfter?: number; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfter = options.retryAfter ?? 5;
  }
}
