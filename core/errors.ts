import { type Field, type Problem, problemText } from './values/problem.js';

/**
 * All codes of expected refusals. The core knows no HTTP statuses: an adapter maps every code to its answer, in a table
 * that does not compile until a new code is mapped.
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
  | 'password-reset-ended'
  | 'mail-not-configured'
  | 'wrong-credentials'
  | 'organization-not-found'
  | 'delivery-not-found'
  | 'delivery-erased'
  | 'calendar-feed-unknown'
  | 'meeting-not-found'
  | 'too-many-requests'
  | 'role-too-low'
  | 'session-bound'
  | 'session-not-found'
  | 'session-not-started'
  | 'last-owner'
  | 'is-owner'
  | 'in-other-organization'
  | 'access-key-outdated'
  | 'webhook-outdated'
  | 'webhook-test-under-way'
  | 'idempotency-key-reused'
  | 'idempotency-key-in-use'
  | 'cursor-expired';

/** An expected error. Every other error that the core throws is `Unavailable` or a bug. */
export class Refusal extends Error {
  /** For code that cannot use `instanceof`. */
  override readonly name = 'Refusal';
  /** The reason, for programs. Map every code to an answer. */
  readonly code: RefusalCode;
  /** All problems of the request; empty if `message` is the whole reason. */
  readonly problems: readonly Problem[];
  /** Seconds until the next attempt can succeed; only with `too-many-requests` and `idempotency-key-in-use`. */
  readonly retryAfter: number | null;

  /** `reason` is one sentence for people, or the problems. */
  constructor(code: RefusalCode, reason: string | readonly Problem[], retryAfter: number | null = null) {
    const problems = typeof reason === 'string' ? [] : reason;
    super(typeof reason === 'string' ? reason : problems.map((problem) => problemText(problem)).join('; '));
    this.code = code;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }

  /** Each reason as a sentence; `nameOf` translates a field to the name that the reader knows. Never empty. */
  texts(nameOf?: (field: Field) => string): readonly string[] {
    if (this.problems.length === 0) return [this.message];
    return this.problems.map((problem) => problemText(problem, nameOf));
  }
}

/** Refuses a place in the feed of events that can no longer be continued. */
export class CursorExpired extends Refusal {
  /** The cursor with which a reader misses no event that is kept. */
  readonly oldest: string;

  constructor(oldest: string) {
    super('cursor-expired', 'The events after this cursor are no longer kept');
    this.oldest = oldest;
  }
}

/** Thrown by `Secrets.decrypt` when the key that encrypted a secret is not configured. The id of a key is not secret. */
export class UnknownKey extends Error {
  /** For code that cannot use `instanceof`. */
  override readonly name = 'UnknownKey';
  /** The id of the missing key, as it is stored with the secret. */
  readonly keyId: string;

  constructor(keyId: string) {
    super(`The key ${keyId} that encrypted a secret is not configured.`);
    this.keyId = keyId;
  }
}

/** Thrown by adapters in a transaction that would keep the answer of a call that another run has taken over. */
export class CallLost extends Error {
  /** For code that cannot use `instanceof`. */
  override readonly name = 'CallLost';

  constructor() {
    super('Another run has taken over the call');
  }
}

/** Thrown by adapters when their database or service cannot be reached or is busy. */
export class Unavailable extends Error {
  /** For code that cannot use `instanceof`. */
  override readonly name = 'Unavailable';
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number;

  constructor(message: string, options: { readonly retryAfter?: number; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfter = options.retryAfter ?? 5;
  }
}
