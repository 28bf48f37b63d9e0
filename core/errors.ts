// biome-ignore-all lint/complexity/noThisInStatic: a class that extends one of these recognises its own errors only.
import { type Field, type Problem, problemText } from './values/problem.js';

/**
 * All codes of expected refusals, with the status that Rollcall's API has for each. The core knows no statuses: an adapter
 * maps every code to its answer, in a table that does not compile until a new code is mapped.
 */
export type RefusalCode =
  /** 401. Missing, malformed or unknown. */
  | 'invalid-access-key'
  /** 401. The token is missing, forged or expired, or its access key was replaced. */
  | 'unauthorized-access'
  /** 401. The token belongs to another organization. */
  | 'not-authorized'
  /** 400. One message for each mistake. */
  | 'invalid-request'
  /** 422. The webhook's configuration is wrong; return every message. */
  | 'invalid-webhook'
  /** 400. The person is already a member. */
  | 'already-member'
  /** 404. The organization has no member with this id. */
  | 'member-not-found'
  /** 400. The organization has no user with this UUID, or no user has this address. */
  | 'user-not-found'
  /** 400. The person has not accepted the invitation yet. */
  | 'invitation-pending'
  /** 404. There is no such invitation, or it belongs to another organization. */
  | 'invitation-unknown'
  /** 400. The invitation was already accepted. */
  | 'invitation-used'
  /** 400. The invitation was revoked, or replaced by a newer one. */
  | 'invitation-revoked'
  /** 400. A page: the invitation has expired. */
  | 'invitation-expired'
  /** 400. A page: the invited person must give the password of their account. */
  | 'sign-in-required'
  /** 400. A page: no such link. */
  | 'login-link-unknown'
  /** 400. A page: the link was already used. */
  | 'login-link-used'
  /** 400. A page: the link is older than five minutes. */
  | 'login-link-expired'
  /** 400. A page: the link to set a new password was used, has expired or never existed. */
  | 'password-reset-ended'
  /** 400. A page: there is no `mailer`. */
  | 'mail-not-configured'
  /** 400. A page: the address or the password is wrong. */
  | 'wrong-credentials'
  /** 400. There is no organization with this id. */
  | 'organization-not-found'
  /** 404. There is no such delivery, or it belongs to another organization. */
  | 'delivery-not-found'
  /** 410. The delivery's person was erased, so it cannot be sent again. */
  | 'delivery-erased'
  /** 400. A calendar program: no such feed, or it was revoked. */
  | 'calendar-feed-unknown'
  /** 400. A page: there is no such meeting, or the reader does not see it. */
  | 'meeting-not-found'
  /** 429. Too many failures; `retryAfter` is the number of seconds for `Retry-After`. */
  | 'too-many-requests'
  /** 400. A page: the password was right; a second factor is needed as well. `SecondStepRequired` says how to go on. */
  | 'second-step-required'
  /** 400. A page: the second step does not belong to a sign-in that has begun in the last ten minutes: start again. */
  | 'second-step-ended'
  /** 400. A page: the passkey or the code is wrong, or was used already. */
  | 'wrong-second-factor'
  /** 400. A page: the organization asks its owners and admins for a second factor, which this session does not have. */
  | 'second-factor-required'
  /** 400. A page: the user has no such second factor, or has confirmed the app already. */
  | 'second-factor-not-found'
  /** 400. A page: the device has a passkey already. */
  | 'passkey-registered'
  /** 400. A page: the member may not do this. */
  | 'role-too-low'
  /** 400. A page: the session was started by a login link, and may not do this. */
  | 'session-bound'
  /** 400. A page: the organization, or the membership, opens with sign-on only. */
  | 'sign-on-required'
  /** 400. A page: the organization has no sign-on, or it is off. Unknown organizations are refused the same way. */
  | 'sign-on-off'
  /** 400. A page: the answer does not belong to a sign-on that has begun in the last ten minutes: start again. */
  | 'sign-on-ended'
  /** 400. A page: the identity provider said no. */
  | 'sign-on-refused'
  /** 400. A page: what the identity provider answered proves nothing. The reason is in the security log. */
  | 'sign-on-failed'
  /** 503. A page: the identity provider does not answer; `retryAfter` is in seconds. */
  | 'sign-on-unreachable'
  /** 400. A page: the person was identified, and may not come in. The text never says why. */
  | 'sign-on-not-admitted'
  /** 503. A page: the mail server did not take the mail. */
  | 'mail-not-sent'
  /** 400. A page: sign-on can be required only by an owner whose trial of it has passed. */
  | 'sign-on-untested'
  /** 400. A page: the settings of sign-on were changed in the meantime. */
  | 'sign-on-outdated'
  /** 400. An identity provider: the logout token proves nothing. */
  | 'logout-token-invalid'
  /** 400. A page: the member has no identity. */
  | 'identity-not-found'
  /** 401. A directory: the token is missing, wrong or ended. */
  | 'directory-unauthorized'
  /** 404. A directory: there is no such person. */
  | 'directory-person-unknown'
  /** 409. A directory: another person, member or pending invitation has the value. */
  | 'directory-taken'
  /** 409. A directory: an admin or owner whom the directory has never written stays. */
  | 'directory-not-written'
  /** 400. A page: the token of the directory was replaced or ended in the meantime. */
  | 'directory-token-outdated'
  /** 400. A page: the set-up link has ended, or there is none. */
  | 'setup-link-unknown'
  /** 400. A page: the user has no such session, or it has ended. */
  | 'session-not-found'
  /** 400. A page: the person has joined, but their password changed meanwhile. */
  | 'session-not-started'
  /** 400. A page: the organization would be left without an owner. */
  | 'last-owner'
  /** 400. Owners are removed by owners on the People page, not by a program. */
  | 'is-owner'
  /** 409. The person is also used outside this organization, so a program cannot erase them. */
  | 'in-other-organization'
  /** 400. A page: the access key was replaced in the meantime. */
  | 'access-key-outdated'
  /** 400. A page: the webhook was changed in the meantime. */
  | 'webhook-outdated'
  /** 409. A test of the webhook is still running. */
  | 'webhook-test-under-way'
  /** 422. Used with another request. */
  | 'idempotency-key-reused'
  /** 409. The first request is still running; `retryAfter` is in seconds. */
  | 'idempotency-key-in-use'
  /** 410. The events or changes after the cursor are no longer kept; with events, `oldest` is the oldest cursor that works. */
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
    return Object.hasOwn(this, Symbol.hasInstance)
      ? isMarked(value, 'Refusal')
      : super[Symbol.hasInstance](value);
  }

  /** For code that cannot use `instanceof`. */
  override readonly name = 'Refusal';
  /** The reason, for programs. Map every code to an answer. */
  readonly code: RefusalCode;
  /** All problems of the request; empty if `message` is the whole reason. */
  readonly problems: readonly Problem[];
  /** Seconds until the next attempt can succeed; only with codes that name it. */
  readonly retryAfter: number | null;

  /** `reason` is one sentence for people, or the problems. */
  constructor(code: RefusalCode, reason: string | readonly Problem[], retryAfter: number | null = null) {
    const problems = typeof reason === 'string' ? [] : [...reason];
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

/**
 * Makes a refusal whose code and reason are always the same: a new one, with its own stack, for each throw.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function refusal(...reason: ConstructorParameters<typeof Refusal>): () => Refusal {
  return () => new Refusal(...reason);
}

/** Refuses a place in the feed of events that can no longer be continued. */
export class CursorExpired extends Refusal {
  /** Recognises the errors of other copies of the core as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.hasOwn(this, Symbol.hasInstance)
      ? isMarked(value, 'CursorExpired')
      : super[Symbol.hasInstance](value);
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
    return Object.hasOwn(this, Symbol.hasInstance)
      ? isMarked(value, 'UnknownKey')
      : super[Symbol.hasInstance](value);
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
    return Object.hasOwn(this, Symbol.hasInstance)
      ? isMarked(value, 'CallLost')
      : super[Symbol.hasInstance](value);
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
    return Object.hasOwn(this, Symbol.hasInstance)
      ? isMarked(value, 'Unavailable')
      : super[Symbol.hasInstance](value);
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
