import type { Journal } from '../../access/ports/journal.js';

/** A token with which the directory of an organization calls. */
export interface DirectoryToken {
  /** The hash under which it is stored. */
  readonly hash: string;
  /** The organization whose directory has it. */
  readonly organizationId: number;
  /** When it was made, by the core's clock. */
  readonly createdAt: Date;
  /** When it was last used; null: never. */
  readonly usedAt: Date | null;
  /** When it stops working; null: it is the current one. */
  readonly endsAt: Date | null;
}

/** The tokens of directories: at most a current one and the one before for each organization. */
export interface DirectoryTokens {
  /** Finds a token, also one that has stopped working; null: there is none. */
  byHash(hash: string): Promise<DirectoryToken | null>;
  /** The tokens of the organization, the current one first. */
  of(organizationId: number): Promise<readonly DirectoryToken[]>;
  /**
   * Adds the current token. The one before works until `keepOldUntil`, or ends if that is null; an older one ends. However
   * many callers there are at once, at most two are left, one of them current. 'outdated', with nothing changed: `replaces`
   * is given, and the current token was created at another time (null: there is none). Of several callers that replace one
   * token, one succeeds.
   */
  add(
    fresh: Pick<DirectoryToken, 'hash' | 'organizationId' | 'createdAt'> & {
      readonly keepOldUntil: Date | null;
      readonly replaces?: Date | null | undefined;
    },
    journal?: Journal<{ readonly isFirst: boolean }>,
  ): Promise<'added' | 'outdated' | 'unknown-organization'>;
  /** Moves `usedAt` forward. Never brings an ended token back. */
  touch(use: { readonly hash: string; readonly at: Date }): Promise<void>;
  /** Ends the tokens, or only the one before the current one. Of several callers, one gets true; false: there was none. */
  end(
    which: { readonly organizationId: number; readonly isOld: boolean },
    journal?: Journal<readonly DirectoryToken[]>,
  ): Promise<boolean>;
}
