/** What a mail is about. Its text is written when it is sent, so that no secret is stored with it. */
export type MailKind =
  | 'password-reset'
  | 'password-changed'
  | 'second-factor-added'
  | 'second-factor-removed'
  | 'access-key-replaced'
  | 'webhook-failing'
  | 'webhook-working'
  | 'invitation';

/** A mail to be sent. */
export interface NewMail {
  /** What it is about. */
  readonly kind: MailKind;
  /** The normalized address that it is for. A user need not have it. */
  readonly email: string;
  /** The organization that it is about, which need not exist any more; left out or null: none. */
  readonly organizationId?: number | null | undefined;
  /** The id of the invitation whose link it holds, which need not exist any more; left out or null: none. */
  readonly invitationId?: string | null | undefined;
  /** When the mail was added. */
  readonly createdAt: Date;
}

/** A mail about an organization, to each user who is its owner when the mail is added. */
export interface NewOwnersMail extends Pick<NewMail, 'kind' | 'createdAt'> {
  /** The id of the organization. */
  readonly ownersOf: number;
  /**
   * Of these kinds, at most one mail about the organization waits for each owner. If one waits, it becomes this mail, and
   * stays due when it was and keeps its attempts; if several do, the others are deleted. A mail that a claim has taken does
   * not wait, until it is postponed. Left out or empty: the mail is added beside the others.
   */
  readonly replaces?: readonly MailKind[] | undefined;
}

/** A mail that one process is about to send. */
export interface ClaimedMail extends NewMail {
  /** Unique within the storage. */
  readonly id: number;
  /** As in `NewMail`; null: none. */
  readonly organizationId: number | null;
  /** As in `NewMail`; null: none. */
  readonly invitationId: string | null;
  /** The claim that took it. */
  readonly claim: string;
  /** How many claims took it before. */
  readonly attempts: number;
}

/** Mails that wait to be sent. A mail that was sent is deleted. */
export interface Mails {
  /** Adds a mail that is due from its `createdAt` on. */
  add(mail: NewMail): Promise<void>;
  /**
   * Takes mails that are due at `at`, those that have been due longest first, and makes them due again at `until`: if
   * the process crashes, another one sends them. Of several callers at once, one gets a mail.
   */
  claim(request: {
    readonly limit: number;
    /** A new UUID. */
    readonly claim: string;
    readonly at: Date;
    readonly until: Date;
  }): Promise<readonly ClaimedMail[]>;
  /** Deletes the mail. False, with nothing changed: another claim has it, or it no longer exists. */
  finish(mail: { readonly id: number; readonly claim: string }): Promise<boolean>;
  /** Makes the mail due at `dueAt`. False, with nothing changed: another claim has it, or it no longer exists. */
  postpone(mail: { readonly id: number; readonly claim: string; readonly dueAt: Date }): Promise<boolean>;
}
