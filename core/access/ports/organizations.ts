import type { Journal } from './journal.js';

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
  /** The last four digits of the key; null: it was made before they were stored, or imported. */
  readonly lastDigits: string | null;
  /** The name that an owner gave it, or null. */
  readonly name: string | null;
  /** The key before it, if that was to be kept for some hours; otherwise null. */
  readonly previous: ({ readonly until: Date } & Pick<AccessKey, 'usedAt' | 'lastDigits' | 'name'>) | null;
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
   * previous one until `keepOldUntil`; otherwise there is no previous key. The new key has the name of the one that it
   * replaces. The change takes effect at once on every
   * instance. Null: there is no such organization, or its generation is no longer `replaces`. Of several callers at
   * once, at most one learns that there was no key before, and at most one replaces a given generation.
   */
  replaceAccessKey(
    change: {
      readonly organizationId: number;
      readonly hash: string;
      /** The last four digits of the key; left out: they are not stored. */
      readonly lastDigits?: string | undefined;
      readonly at: Date;
      /** The generation to replace; undefined: any. */
      readonly replaces?: number | undefined;
      /** Until when the replaced key is kept as the previous one; undefined: it is removed. */
      readonly keepOldUntil?: Date | undefined;
    },
    journal?: Journal<{ readonly organization: Organization; readonly isFirst: boolean }>,
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
  /**
   * Names the current access key. False, with nothing changed: it has another generation, or there is none. `before`: the
   * name that it had. The journal is not written if that is `name`.
   */
  nameAccessKey(
    change: { readonly organizationId: number; readonly generation: number; readonly name: string | null },
    journal?: Journal<{ readonly before: string | null }>,
  ): Promise<boolean>;
  /** The current access key, or null if there is none. */
  accessKey(organizationId: number): Promise<AccessKey | null>;
  /** Moves the last use of the current or previous key of this generation forward, never back. */
  touchAccessKey(use: {
    readonly organizationId: number;
    readonly generation: number;
    readonly at: Date;
  }): Promise<void>;
  /**
   * Null: there is no such organization. 'outdated', with nothing changed: `replaces` is given, and the organization has
   * another zone, but not `timeZone` either. Of several callers that replace the same zone with different ones, one
   * succeeds. `before`: the organization with its earlier zone, which may be the same.
   */
  setTimeZone(
    change: {
      readonly organizationId: number;
      readonly timeZone: string | null;
      readonly replaces?: string | null | undefined;
    },
    journal?: Journal<{ readonly organization: Organization; readonly before: Organization }>,
  ): Promise<Organization | 'outdated' | null>;
  /**
   * Null: there is no such organization. 'outdated', with nothing changed: `replaces` is given, and the organization has
   * another name, but not `name` either. Of several callers that replace the same name with different ones, one succeeds.
   * `before`: the organization with its earlier name, which may be the same.
   */
  rename(
    change: {
      readonly organizationId: number;
      readonly name: string;
      readonly replaces?: string | undefined;
    },
    journal?: Journal<{ readonly organization: Organization; readonly before: Organization }>,
  ): Promise<Organization | 'outdated' | null>;
  /** Adds an organization with a new id, without an access key and a time zone of its own. */
  create(
    organization: { readonly name: string; readonly eap: boolean },
    journal?: Journal<Organization>,
  ): Promise<Organization>;
  /** All organizations, by id. */
  list(): Promise<readonly Organization[]>;
}
