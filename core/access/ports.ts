/** The ports of access: organizations and their keys, tokens, secrets, limits and the audit trail. */
import type { NewMail, NewOwnersMail, Person } from '../users/ports.js';
import type { Secret } from '../values/secret.js';

/** An organization: it has its own members, meetings, access key and webhook. */
export interface Organization {
  /** A whole number from 1 to 2^53 - 1, as in the URLs of the API. */
  readonly id: number;
  /** Shown to people and sent with each event: one line of at most 300 characters. */
  readonly name: string;
  /** Whether the organization runs an Employee Assistance Program. If so, it sees the service meetings tied to it. */
  readonly eap: boolean;
  /** An IANA name, or null if the owner has set none. */
  readonly timeZone: string | null;
  /**
   * Increases with each new access key. A token of another generation is invalid. 0: there is no key yet. An
   * organization that replaces a removed one never gets a generation that the removed one had.
   */
  readonly accessKeyGeneration: number;
  /** The key before the current one, if it was to be kept for some hours; otherwise null. */
  readonly previousAccessKey: PreviousAccessKey | null;
}

/** An access key that was replaced by another one and still works. */
export interface PreviousAccessKey {
  /** The generation that it had while it was the current key. Its tokens are of this generation. */
  readonly generation: number;
  /** When it stops working, with its tokens, by the core's clock. From this time on, it counts as removed. */
  readonly until: Date;
}

/** The stored facts about an access key. The key itself is not stored. */
export interface AccessKey {
  /** When the key replaced the one before it, or when the first key was generated. */
  readonly createdAt: Date;
  /** When the key was last exchanged for a token, to the minute; null: never. */
  readonly usedAt: Date | null;
  /** The key before it, if that was to be kept for some hours; otherwise null. */
  readonly previous: { readonly until: Date; readonly usedAt: Date | null } | null;
}

/** An organization that was found by an access key: the current one or the previous one. */
export interface AccessKeyHolder extends Organization {
  /** The generation of the key: `accessKeyGeneration`, or that of `previousAccessKey`. */
  readonly keyGeneration: number;
  /** When the key was last exchanged for a token, to the minute; null: never. */
  readonly accessKeyUsedAt: AccessKey['usedAt'];
  /** The stored hash: one of the requested hashes. */
  readonly accessKeyHash: string;
}

/** Organizations with their access keys. */
export interface Organizations {
  /** Null: there is no such organization. */
  byId(organizationId: number): Promise<Organization | null>;
  /**
   * The organization whose current access key has one of these hashes, or else whose previous one has, with the last use
   * of that key. Of a previous key, the caller must check `until`.
   */
  byAccessKeyHash(hashes: readonly string[]): Promise<AccessKeyHolder | null>;
  /**
   * Replaces the hash and raises the generation, at least to the seconds since 1970. The replaced key becomes the
   * previous one until `keepOldUntil`; otherwise there is no previous key. The change takes effect at once on every
   * instance. Null: there is no such organization, or its generation is no longer `replaces`. Of several callers at
   * once, at most one learns that there was no key before, and at most one replaces a given generation.
   */
  replaceAccessKey(
    change: {
      readonly organizationId: number;
      readonly hash: string;
      readonly at: Date;
      /** The generation to replace; undefined: any. */
      readonly replaces?: number | undefined;
      /** Until when the replaced key is kept as the previous one; undefined: it is removed. */
      readonly keepOldUntil?: Date | undefined;
    },
    buildEntries?: BuildAuditEntries<{ readonly organization: Organization; readonly isFirst: boolean }>,
  ): Promise<Organization | null>;
  /**
   * Replaces the hash `from` with another hash of the same access key, current or previous. The key, its generation and
   * its times stay. False, with nothing changed: no stored hash is `from` any more.
   */
  moveAccessKeyHash(change: {
    readonly organizationId: number;
    readonly from: string;
    readonly to: string;
  }): Promise<boolean>;
  /** The current access key, or null if there is none. */
  accessKey(organizationId: number): Promise<AccessKey | null>;
  /** Moves the last use of the current or previous key of this generation forward, never back. */
  touchAccessKey(use: {
    readonly organizationId: number;
    readonly generation: number;
    readonly at: Date;
  }): Promise<void>;
  /** Null: there is no such organization. */
  setTimeZone(
    change: { readonly organizationId: number; readonly timeZone: string | null },
    buildEntries?: BuildAuditEntries<Organization>,
  ): Promise<Organization | null>;
  /** Adds an organization with a new id, without an access key and a time zone of its own. */
  create(
    organization: { readonly name: string; readonly eap: boolean },
    buildEntries?: BuildAuditEntries<Organization>,
  ): Promise<Organization>;
  /** All organizations, by id. */
  list(): Promise<readonly Organization[]>;
}

/** One page of an organization's rows. */
export interface OrganizationRows {
  /** Only rows of this organization count and are returned. */
  readonly organizationId: number;
  /** The number of rows to skip, from 0. Past the end: no rows, and the same total. */
  readonly offset: number;
  /** The maximum number of rows to return, from 1. */
  readonly limit: number;
}

// ── Tokens and secrets ─────────────────────────────────────────────────────────────────────────────────────

/** What a token says about its bearer. */
export interface TokenClaims {
  /** The organization whose access key was exchanged for the token. */
  readonly organizationId: number;
  /** The `accessKeyGeneration` of the organization at that time; the token is invalid once it has changed. */
  readonly generation: number;
  /** When the access key was exchanged. */
  readonly issuedAt: Date;
  /** From this time on the token is invalid. Only the core checks this, not the port. */
  readonly expiresAt: Date;
}

/** Makes and reads bearer tokens. Nothing is stored: a token holds its claims and a proof of them. */
export interface Tokens {
  /** Makes a token that holds these claims. Its times may be cut to whole seconds. */
  issue(claims: TokenClaims): Promise<Secret>;
  /**
   * The claims of a token that `issue` made with the current key or a previous one; null for any other text. Does not
   * check whether the token has expired.
   */
  read(token: string): Promise<TokenClaims | null>;
}

/** What a random token is for. A token made for one purpose is invalid for another. */
export type TokenPurpose = 'login-link' | 'session' | 'calendar' | 'password-reset';

/** Makes, hashes, signs and encrypts secrets with the keys of the operator. */
export interface Secrets {
  /** 24 random digits. */
  newAccessKey(): Secret;
  /** The keyed hashes of the access key with every known secret key, the current one first. */
  accessKeyHashes(accessKey: string): readonly string[];
  /** A random token of 256 bits, and the hash to store in its place. */
  newToken(purpose: TokenPurpose): { readonly token: Secret; readonly hash: string };
  /** The hash under which the token is stored; null if `newToken` cannot have made this token. */
  tokenHash(purpose: TokenPurpose, token: string): string | null;
  /**
   * The id of a session for pages and forms, from the hash under which it is stored: letters, digits, `-` and `_`. The same
   * hash always gives the same id, and the id reveals nothing about the hash.
   */
  sessionId(hash: string): string;
  /** The id of the current key. */
  readonly keyId: string;
  /** The same invitation and known key always give the same text. An unknown key id counts as the current one. */
  invitationToken(invitation: { readonly id: string; readonly keyId: string }): Secret;
  /** The id of the invitation that the token belongs to; null if `invitationToken` did not make it. */
  readInvitationToken(token: string): string | null;
  /** `whsec_` and the base64 of 32 random bytes. */
  newSigningSecret(): Secret;
  /**
   * Encrypts for one organization. `decrypt` works for the same organization only and throws for any other. It
   * throws `UnknownKey` if the key is no longer configured.
   */
  encrypt(secret: { readonly secret: Secret; readonly organizationId: number }): string;
  /**
   * Returns what `encrypt` was given for this organization.
   *
   * @throws `UnknownKey` if the key that encrypted it is not configured; any other error for a damaged text or another
   * organization.
   */
  decrypt(input: { readonly encrypted: string; readonly organizationId: number }): Secret;
  /** Hex of the HMAC-SHA256 of the text's UTF-8 bytes, keyed with the secret's UTF-8 bytes. */
  sign(input: { readonly body: string; readonly secret: Secret }): string;
  /**
   * Base64 of the HMAC-SHA256 of the text's UTF-8 bytes, keyed with the bytes that the secret encodes in base64 after
   * `whsec_`.
   */
  signBase64(input: { readonly text: string; readonly secret: Secret }): string;
}

// ── Limits on failures ─────────────────────────────────────────────────────────────────────────────────────

/** At most `points` failures in the `seconds` after the first one; 0 points: no limit. */
export interface Limit {
  /** Tells counters apart: limits of different names do not share failures. */
  readonly name: string;
  /** The number of failures that are allowed in one window; 0: no limit. */
  readonly points: number;
  /** The length of the window, which begins with the first failure. */
  readonly seconds: number;
}

/** Counts failures for all instances together. */
export interface Limits {
  /**
   * Seconds until the subject may try again; 0 while it has failures left. Counts nothing and writes nothing. A
   * failure that another instance counted may show up one second late.
   */
  waitFor(limit: Limit, subject: string): Promise<number>;
  /**
   * Counts one failure and returns 0. With no failure left, it counts nothing, writes nothing and returns the seconds
   * until the subject may try again. Of several callers at once, no more get 0 than there were failures left.
   */
  fail(limit: Limit, subject: string): Promise<number>;
  /** Takes one counted failure back, if its window is not over. */
  forgive(limit: Limit, subject: string): Promise<void>;
}

/** A failed or refused attempt to sign in or authenticate. Never contains the password or key that was tried. */
export interface SecurityEvent {
  /**
   * `failed`: the password, the access key or the operator's token was wrong. `refused`: not checked, after too many
   * failures.
   */
  readonly kind:
    | 'sign-in-failed'
    | 'sign-in-refused'
    | 'authenticate-failed'
    | 'authenticate-refused'
    | 'operator-failed';
  /** The IP address that the attempt came from, without a port; null: the input is not an IP address. */
  readonly address: string | null;
  /**
   * The e-mail address of the attempt, at most 254 characters without spaces and control characters. Null: the attempt
   * used an access key or the operator's token, or the input is not an e-mail address and may be a password in the wrong
   * field.
   */
  readonly account: string | null;
}

/** Receives failed and refused attempts, for the operator. */
export interface SecurityLog {
  /** The caller does not wait. Must not throw. */
  record(event: SecurityEvent): void;
}

/** Is told how the service is used, for the operator's figures. */
export interface Observer {
  /**
   * An access key that was replaced, or a token of it, has been accepted because it is still kept. The caller does not
   * wait. Must not throw.
   */
  olderKeyUsed(use: { readonly organizationId: number; readonly by: 'access-key' | 'token' }): void;
}

// ── Calls that can be repeated ─────────────────────────────────────────────────────────────────────────────

/** A call that its caller can repeat with the same key. */
export interface IdempotentCall {
  /** The organization that calls. */
  readonly organizationId: number;
  /** What is called. The same key of another operation is another call. */
  readonly operation: string;
  /** Chosen by the caller. */
  readonly key: string;
}

/** A call as it begins. */
export interface NewIdempotentCall extends IdempotentCall {
  /** Differs for another request. */
  readonly fingerprint: string;
  /** A new UUID. It tells `finish` and `abandon` whose call it is. */
  readonly run: string;
  /** When the call begins. */
  readonly at: Date;
  /** A run that began before and has no answer yet was cut off. */
  readonly cutOffBefore: Date;
  /** A call that began before is forgotten. */
  readonly forgottenBefore: Date;
}

/**
 * `fresh`: the caller does the work now. `running`: another run does it. `other-request`: the key belongs to a call with
 * another fingerprint. Otherwise the answer of that call, encrypted.
 */
export type BegunCall =
  | 'fresh'
  | 'running'
  | 'other-request'
  | 'unknown-organization'
  | { readonly encryptedAnswer: string };

/** The answer of a call, and the run that gives it. */
export interface KeptAnswer extends IdempotentCall {
  /** The run to which the call belongs. */
  readonly run: string;
  /** The answer as `Secrets.encrypt` encrypted it for the organization. */
  readonly encryptedAnswer: string;
}

/** The calls that can be repeated, with their answers. */
export interface IdempotencyKeys {
  /**
   * `fresh` if there is no such call, if it is forgotten, or if its run was cut off and had the same fingerprint. The
   * call then belongs to this run. Of several callers at once, one gets `fresh`.
   */
  begin(call: NewIdempotentCall): Promise<BegunCall>;
  /**
   * The kept answer, as it was encrypted. Null: there is no such call, it has no answer, or it began before
   * `forgottenBefore`.
   */
  find(call: IdempotentCall & { readonly forgottenBefore: Date }): Promise<string | null>;
  /** Keeps the answer. False, with nothing changed: the call does not belong to this run, or has an answer. */
  finish(answer: KeptAnswer): Promise<boolean>;
  /** Forgets the call, so that its key can be used again. Does nothing if it belongs to another run or has an answer. */
  abandon(call: IdempotentCall & { readonly run: string }): Promise<void>;
}

// ── The audit trail ────────────────────────────────────────────────────────────────────────────────────────

/** Who acts. `operator`: a program of the operator. `program`: code that embeds the core and does not name anyone. */
export type Who =
  /** 0 as the id of a stored user: a person who was erased. */
  | { readonly kind: 'user'; readonly userId: number }
  | { readonly kind: 'access-key' }
  | { readonly kind: 'command-line' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'program' };

/** Who acts, and from where. */
export interface Actor {
  /** The user, the kind of key or the program that acts. */
  readonly who: Who;
  /** The address that the request came from, or null if there is none. */
  readonly from: string | null;
}

/** What was done. The `subject` of the entry tells what it was done to. */
export type AuditAction =
  | 'organization-created'
  | 'access-key-generated'
  | 'access-key-replaced'
  | 'webhook-configured'
  | 'signing-secret-rotated'
  | 'secret-rotation-finished'
  | 'webhook-tested'
  | 'delivery-redelivered'
  | 'deliveries-redelivered'
  | 'deliveries-dropped'
  | 'user-invited'
  | 'invitation-revoked'
  | 'invitation-renewed'
  | 'member-added'
  | 'role-changed'
  | 'member-removed'
  | 'idp-id-set'
  | 'email-changed'
  | 'user-erased'
  | 'login-link-issued'
  | 'login-link-redeemed'
  | 'session-ended'
  | 'time-zone-set'
  | 'meetings-exported'
  | 'people-exported'
  | 'invitations-exported'
  | 'first-steps-hidden'
  | 'first-steps-shown';

/** One action in an organization. */
export interface NewAuditEntry {
  /** The organization in whose audit trail the entry is. */
  readonly organizationId: number;
  /** When it was done, by the core's clock. */
  readonly at: Date;
  /** Who did it, and from which address. */
  readonly actor: Actor;
  /** What was done. */
  readonly action: AuditAction;
  /** The object of the action in a few words without a secret, such as an address; null: the organization itself. */
  readonly subject: string | null;
}

/** An entry as it is listed. */
export interface AuditEntry extends NewAuditEntry {
  /** Unique within the storage. */
  readonly id: number;
  /** The user who did it; null: the actor is not a user, or the user no longer exists. */
  readonly user: NamedUser | null;
}

/** The part of a user that identifies them to other people. */
export interface NamedUser extends Person {
  /** The id of the user, the same in every organization. */
  readonly id: number;
}

/**
 * Makes the records of an action once it is done: its audit entries, if a call with a key asked for it, the answer to
 * that call, and mails that tell of it. The adapter writes them in the same transaction as the action: if one cannot be
 * written, the action is not kept either. It adds mails as `Mails.add` does. It keeps an answer as `IdempotencyKeys.finish` does, and throws `CallLost` where that returns false.
 * Not called if nothing was done.
 */
export type BuildAuditEntries<Done> = (
  done: Done,
) => readonly (NewAuditEntry | KeptAnswer | NewMail | NewOwnersMail)[];

/** The record of who did what in each organization. Only `PersonalData.erase` changes entries. */
export interface AuditTrail {
  /** For an action that has no transaction of its own. */
  record(entry: NewAuditEntry): Promise<void>;
  /** Newest first; of entries with the same time, the last recorded first. `total`: the number of all entries. */
  list(query: OrganizationRows): Promise<{ readonly total: number; readonly entries: readonly AuditEntry[] }>;
  /** The action of the newest entry of the organization that has one of these actions. Null if there is none. */
  lastOf(query: {
    readonly organizationId: number;
    readonly actions: readonly AuditAction[];
  }): Promise<AuditAction | null>;
}
