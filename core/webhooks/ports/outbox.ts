import type { Journal } from '../../access/ports/journal.js';
import type { NewEvent } from '../events.js';
import type { Delivery, RecordedAttempt } from './deliveries.js';

/** A delivery that one caller of `claim` holds until it is finished or its claim is recovered as stale. */
export interface ClaimedDelivery extends Pick<Delivery, 'organizationId' | 'eventId' | 'eventName' | 'body'> {
  /** The id of the delivery in the log, which `finish` needs. */
  readonly deliveryId: number;
  /** The id of the claim, which `finish` needs, too. */
  readonly claim: string;
  /** A test of the webhook, which is sent even while the webhook is disabled. */
  readonly isTest: boolean;
}

/** Events that wait to be sent, and those that are being sent. */
export interface Outbox {
  /**
   * Claims pending deliveries, of each organization those that were stored first, and commits before it returns. Claims at most
   * `limit` deliveries, and never so many that one organization has more than `perOrganization` under way, counted over
   * all callers. No delivery is claimed by two callers. Organizations take turns, in any order: each gets its turn, however many
   * others wait and however long their queues are, and waiting organizations do not make a claim slower. Deliveries
   * that this storage object stored can be claimed at once, those of another process some seconds later. `claim` is the
   * id of this claim and `at` its time; if several processes share the storage, the storage's own clock counts instead.
   */
  claim(request: {
    readonly limit: number;
    readonly perOrganization: number;
    readonly claim: string;
    readonly at: Date;
  }): Promise<readonly ClaimedDelivery[]>;
  /**
   * Stores the event as a test that is already claimed with `claim`, so that no other caller claims it. Null, with
   * nothing stored: another test of the organization is under way.
   */
  startTest(
    test: {
      readonly event: NewEvent;
      readonly claim: string;
      readonly at: Date;
    },
    journal?: Journal<ClaimedDelivery>,
  ): Promise<ClaimedDelivery | null>;
  /**
   * Makes the claim as young as a new one, if it still holds the delivery, so that `recoverStale` leaves it alone for as
   * long again. False, with nothing changed: the delivery was finished, held or recovered, or there is no such delivery.
   * `at` is the time, as for `claim`.
   */
  renew(request: {
    readonly deliveryId: number;
    readonly claim: string;
    readonly at: Date;
  }): Promise<boolean>;
  /**
   * Stores the final state and the attempt (null: skipped, nothing was sent), if the claim still holds the delivery.
   * False: the claim no longer holds it. Texts of the request and the response may contain every character, U+0000 too.
   * The newest `maxRecordedAttempts` attempts of a delivery keep their request and response; those of earlier ones are
   * removed in the same transaction. `journal` is called if the delivery is the success that ends failures that were
   * reported: `takeFailureNotice` has returned a step. Of several successes at once, it is called for one, or for the next one.
   */
  finish(
    result: {
      readonly deliveryId: number;
      readonly claim: string;
      readonly state: 'delivered' | 'failed' | 'skipped';
      readonly attempt: RecordedAttempt | null;
      readonly at: Date;
    },
    journal?: Journal<{ readonly organizationId: number }>,
  ): Promise<boolean>;
  /**
   * Ends every claim that is older than `olderThanMs` (null: every claim). The age is measured with the clock that
   * wrote the claims, so that callers with different clocks agree. Each delivery gets the attempt `interruptedAttempt` and
   * becomes pending again, or failed if it was claimed `maxClaims` times since it was stored or last redelivered.
   */
  recoverStale(request: {
    readonly olderThanMs: number | null;
    readonly maxClaims: number;
    readonly at: Date;
  }): Promise<{ readonly again: number; readonly failed: number }>;
  /**
   * Holds every delivery that is pending or under way, for when it is not known which of them were sent, and returns
   * their number. Records no attempt. A held delivery is not claimed until it is redelivered. One about an erased person
   * that is under way stays so, and `recoverStale` ends it.
   */
  hold(): Promise<number>;
}
