// biome-ignore-all lint/complexity/noThisInStatic: a class that extends one of these recognises its own errors only.
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

/**
 * A process can have several copies of the core, for example one of the host and one of an adapter. Each error carries a
 * mark, by which `instanceof` recognises the errors of every copy.
 */
function mark(error: Error, name: string): void {
  Object.defineProperty(error, markOf(name), { value: true });
}

function isMarked(value: unknown, name: string): boolean {
  return Object(value)[markOf(name)] === true;
}

function markOf(name: string): symbol {
  return Symbol.for(`@rollcall/core/${name}`);
}

/** An expected error. Every other error that the core throws is `Unavailable` or a bug. */
export class Refusal extends Error {
  /** Recognises the errors of other copies of the core as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === Refusal ? isMarked(value, 'Refusal') : super[Symbol.hasInstance](value);
  }

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
    mark(this, 'Refusal');
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
  /** Recognises the errors of other copies of the core as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === CursorExpired ? isMarked(value, 'CursorExpired') : super[Symbol.hasInstance](value);
  }

  /** The cursor with which a reader misses no event that is kept. */
  readonly oldest: string;

  constructor(oldest: string) {
    super('cursor-expired', 'The events after this cursor are no longer kept');
    mark(this, 'CursorExpired');
    this.oldest = oldest;
  }
}

/** Thrown by `Secrets.decrypt` when the key that encrypted a secret is not configured. The id of a key is not secret. */
export class UnknownKey extends Error {
  /** Recognises the errors of other copies of the core as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === UnknownKey ? isMarked(value, 'UnknownKey') : super[Symbol.hasInstance](value);
  }

  /** For code that cannot use `instanceof`. */
  override readonly name = 'UnknownKey';
  /** The id of the missing key, as it is stored with the secret. */
  readonly keyId: string;

  constructor(keyId: string) {
    super(`The key ${keyId} that encrypted a secret is not configured.`);
    mark(this, 'UnknownKey');
    this.keyId = keyId;
  }
}

/** Thrown by adapters in a transaction that would keep the answer of a call that another run has taken over. */
export class CallLost extends Error {
  /** Recognises the errors of other copies of the core as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === CallLost ? isMarked(value, 'CallLost') : super[Symbol.hasInstance](value);
  }

  /** For code that cannot use `instanceof`. */
  override readonly name = 'CallLost';

  constructor() {
    super('Another run has taken over the call');
    mark(this, 'CallLost');
  }
}

/** Thrown by adapters when their database or service cannot be reached or is busy. */
export class Unavailable extends Error {
  /** Recognises the errors of other copies of the core as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === Unavailable ? isMarked(value, 'Unavailable') : super[Symbol.hasInstance](value);
  }

  /** For code that cannot use `instanceof`. */
  override readonly name = 'Unavailable';
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number;
  /** Whether the change may have been made. Otherwise nothing was changed. */
  readonly isOutcomeUnknown: boolean;

  constructor(
    message: string,
    options: {
      readonly retryAfter?: number;
      readonly isOutcomeUnknown?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    mark(this, 'Unavailable');
    this.retryAfter = options.retryAfter ?? 5;
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
  }
}
