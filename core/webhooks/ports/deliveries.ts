import type { Journal } from '../../access/ports/journal.js';
import type { EventName } from '../events.js';

/**
 * `delivered`: the receiver answered with a status from 200 to 299. `failed`: any other answer, or none. `interrupted`:
 * the process that sent it ended, so it is not known whether it arrived.
 */
export type AttemptOutcome = 'delivered' | 'failed' | 'interrupted';

/** The stages of an attempt, in order. */
export type AttemptPhase = 'address' | 'lookup' | 'connect' | 'tls' | 'request' | 'answer';

/** One sending of an event. */
export interface Attempt {
  /** When the attempt began, by the core's clock. */
  readonly startedAt: Date;
  /** Milliseconds; null if it was interrupted. */
  readonly duration: number | null;
  /** How the attempt ended. */
  readonly outcome: AttemptOutcome;
  /** The stage at which it ended; null if it was interrupted. */
  readonly phase: AttemptPhase | null;
  /** The receiver's HTTP status, or null if there was no answer. */
  readonly status: number | null;
  /** The result in words for people. Never contains an internal address. */
  readonly reason: string;
}

/** The request of an attempt. Its body is the body of the delivery. */
export interface AttemptRequest {
  /** The webhook's URL at that time. */
  readonly url: string;
  /**
   * All headers of the request, by name. If the attempt ended in a phase before `request`, the receiver read none of them.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** What the receiver answered, apart from the status, which is in the attempt. */
export interface AttemptResponse {
  /** By name, as received. The values of a repeated header are joined by `, `. At most 16 KiB in all. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The first 8 KiB of the body as text, not decompressed. U+FFFD replaces what is not valid UTF-8. A character that the
   * limit cuts is left out.
   */
  readonly body: string;
  /** True: there were more headers, or there was more of the body, or its end did not arrive. */
  readonly isTruncated: boolean;
}

/** An attempt with everything that was sent and answered. */
export interface RecordedAttempt extends Attempt {
  /**
   * Null: the attempt was interrupted, the request could not be made, or the person that the event tells of was erased.
   */
  readonly request: AttemptRequest | null;
  /** Null: there was no answer, or the person was erased. */
  readonly response: AttemptResponse | null;
}

/**
 * A state in which a delivery stays until it is redelivered. `held`: another copy of the database may have sent it
 * already.
 */
export type RestingState = 'delivered' | 'failed' | 'skipped' | 'held';

/**
 * `pending`: waits to be sent. `sending`: an attempt is under way. The others stay until the delivery is redelivered.
 */
export type DeliveryState = 'pending' | 'sending' | RestingState;

/** One event on its way to the webhook. */
export interface Delivery {
  /** A whole number from 1 to 2^53 - 1, for the log; receivers see the `eventId`. */
  readonly id: number;
  /** The organization whose webhook gets the event. */
  readonly organizationId: number;
  /** The UUID of the event, which receivers get too. It stays the same when the event is redelivered. */
  readonly eventId: string;
  /** What the event tells. */
  readonly eventName: EventName;
  /** The JSON text that was or will be sent, byte for byte. */
  readonly body: string;
  /** A test of the webhook, about a made-up user. */
  readonly isTest: boolean;
  /** Whether the event has been sent, and how that ended. */
  readonly state: DeliveryState;
  /** When the event happened. */
  readonly createdAt: Date;
  /** When the delivery reached its latest final state; null if it has none. `held` is not final. */
  readonly finishedAt: Date | null;
  /**
   * True: skipped because it was dropped while held or after it had failed, or because the person it tells of was erased.
   * False: not skipped, or skipped because the webhook was disabled.
   */
  readonly isDropped: boolean;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
}

/** A delivery with everything that was sent and answered. */
export interface RecordedDelivery extends Delivery {
  /** Oldest first. */
  readonly attempts: readonly RecordedAttempt[];
}

/** A delivery with what was sent and answered lately: `attempts` are the newest of all, oldest first. */
export interface FoundDelivery extends RecordedDelivery {
  /** The number of all attempts. */
  readonly attemptCount: number;
}

/** The deliveries that meet every given condition. Tests and deliveries about an erased person never match. */
export interface DeliverySelection {
  /** Null: of every organization. */
  readonly organizationId: number | null;
  /** The delivery is in one of these states. Pending deliveries cannot be selected. */
  readonly states: readonly RestingState[];
  /** This one alone. */
  readonly deliveryId?: number | undefined;
  /** Created at this time or later. */
  readonly since?: Date | undefined;
  /** Created before this time. */
  readonly until?: Date | undefined;
  /** The stage at which the last attempt ended. */
  readonly phase?: AttemptPhase | undefined;
  /** The receiver's answer to the last attempt. */
  readonly status?: number | undefined;
  /** Part of the last attempt's outcome or reason, ASCII letters in any case. */
  readonly reason?: string | undefined;
}

/** A delivery that was found by `Deliveries.redeliver`. */
export interface RedeliveredDelivery extends Pick<Delivery, 'organizationId' | 'eventId' | 'isTest'> {
  /** The user that the event tells of; null: none. */
  readonly userId: number | null;
  /** False: the delivery was pending or under way already. */
  readonly isChanged: boolean;
}

/** How many deliveries of an organization a log can show, and how those of the latest hours ended. */
export interface DeliverySummary {
  /** Of all deliveries, those that wait or are being sent, tests included. */
  readonly pending: number;
  /** Of all deliveries, the failed ones, tests included. */
  readonly failed: number;
  /** Of all deliveries, those that are held after a restore, tests included. */
  readonly held: number;
  /** Of all deliveries, the tests. */
  readonly tests: number;
  /** Among the newest alone, the delivered ones, tests included. */
  readonly delivered: number;
  /** Among the newest alone, those that were not sent, tests included. */
  readonly skipped: number;
  /** Whether there are more deliveries than the newest. */
  readonly hasOlder: boolean;
  /**
   * Among the newest alone: the hours of the clock in UTC in which events happened that were delivered or have failed,
   * without tests, in order.
   */
  readonly hours: readonly DeliveryHour[];
}

/** How the events of one hour ended. */
export interface DeliveryHour {
  /** When the hour began. */
  readonly from: Date;
  /** Events that were delivered. */
  readonly delivered: number;
  /** Events whose delivery has failed. */
  readonly failed: number;
}

/** The log of events and their attempts. */
export interface Deliveries {
  /**
   * The delivery with its newest `maxRecordedAttempts` attempts, or the last one alone, with requests and responses; null:
   * the organization has no such delivery. With null as `organizationId`, the delivery may belong to any organization.
   */
  find(key: {
    readonly organizationId: number | null;
    readonly deliveryId: number;
    /** False by default. */
    readonly onlyLastAttempt?: boolean | undefined;
  }): Promise<FoundDelivery | null>;
  /**
   * Newest first, by time of the event and then id, the largest first. Deliveries must meet every given condition.
   * Their attempts come without request and response, which would make a long list large.
   */
  list(
    query: Pick<DeliverySelection, 'organizationId' | 'since' | 'until'> & {
      readonly state?: DeliveryState | undefined;
      /** A UUID. */
      readonly eventId?: string | undefined;
      readonly isTest?: boolean | undefined;
      /** The user that the event tells of. No index finds a user, so narrow the time too. */
      readonly userId?: number | undefined;
      /** The event tells of a member of its organization in whose name, address or `idpId` each word is. Empty: of anyone. */
      readonly personWords?: readonly string[] | undefined;
      /** Only deliveries that come after this one in the order. */
      readonly olderThan?: Pick<Delivery, 'id' | 'createdAt'> | undefined;
      readonly limit: number;
    },
  ): Promise<readonly Delivery[]>;
  /**
   * Makes a delivery in a final state, or a held one, pending again. A delivery that is pending or under way stays so.
   * `journal` is called then too, with `isChanged` false, so that the answer to a call is kept. False: the
   * organization has no such delivery. 'erased', with nothing changed: the person that the event tells of was erased.
   * With null as `organizationId`, the delivery may belong to any organization.
   */
  redeliver(
    key: { readonly organizationId: number | null; readonly deliveryId: number },
    journal?: Journal<RedeliveredDelivery>,
  ): Promise<boolean | 'erased'>;
  /** The number of matching deliveries. */
  count(selection: DeliverySelection): Promise<number>;
  /**
   * Makes all matching deliveries pending again and returns their number. May use several transactions, each of which
   * writes the audit entries for its own changes. At the end, each organization has the entries of the last call of
   * `journal`, with the number of that organization's deliveries. After an interruption, the entries tell how many
   * deliveries were changed.
   */
  redeliverMatching(
    selection: DeliverySelection,
    journal?: Journal<{ readonly organizationId: number; readonly count: number }>,
  ): Promise<number>;
  /**
   * Ends the matching deliveries as skipped at this time and marks them as dropped; audit entries are written as in
   * `redeliverMatching`.
   */
  drop(
    selection: DeliverySelection & { readonly states: readonly ('failed' | 'held')[]; readonly at: Date },
    journal?: Journal<{ readonly organizationId: number; readonly count: number }>,
  ): Promise<number>;
  /** Counts deliveries. `newest`: how many count as the newest. `since`: the first hour. */
  summarize(request: {
    readonly organizationId: number;
    readonly newest: number;
    readonly since: Date;
  }): Promise<DeliverySummary>;
  /**
   * The ids of the deliveries before and after this one in the order of `list`, or null. Both are null if the organization
   * has no such delivery.
   */
  neighbors(key: { readonly organizationId: number; readonly deliveryId: number }): Promise<{
    readonly newer: number | null;
    readonly older: number | null;
  }>;
}
