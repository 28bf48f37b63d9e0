import type { NewMail, NewOwnersMail } from '../../users/ports/mails.js';
import type { NewEvent } from '../../webhooks/events.js';
import type { NewAuditEntry } from './audit-trail.js';
import type { KeptAnswer } from './idempotency-keys.js';

/** What is stored with an action, in its transaction: if one entry cannot be stored, the action is not kept either. */
export type JournalEntry =
  /** Is added to the audit trail. */
  | NewAuditEntry
  /**
   * Is recorded in the feed of its organization and, if the webhook is enabled and subscribes to it in this transaction,
   * written to the outbox. Such entries come last: a reader of the feed waits for their transaction.
   */
  | NewEvent
  /** Is added as `Mails.add` does. */
  | NewMail
  | NewOwnersMail
  /** Is kept as `IdempotencyKeys.finish` does. Where that returns false, `CallLost` is thrown. */
  | KeptAnswer;

/** Makes the journal of an action once it is done. Not called if nothing was done, unless the method says so. */
export type Journal<Done> = (done: Done) => readonly JournalEntry[];
