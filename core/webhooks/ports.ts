/** The ports of webhooks: configurations, the outbox, the log of deliveries and the sender. */
import type { BuildAuditEntries } from '../access/ports.js';

/** What an event tells: `user.registered` is sent when a person has become a member. */
export type EventName = 'user.registered';

/** The webhook configuration of an organization, which has at most one. */
export interface Webhook {
  /** A whole number from 1 to 2^53 - 1. It stays the same when the webhook is changed. */
  readonly id: number;
  /** The organization whose events are sent. */
  readonly organizationId: number;
  /** Where events are sent; null: nowhere, and the webhook cannot be enabled. */
  readonly url: string | null;
  /** Whether events are sent. While it is false, nothing makes an event, and deliveries that wait are skipped. */
  readonly enabled: boolean;
  /** The events that are sent, each once. */
  readonly events: readonly EventName[];
  /** The signing secret as `Secrets.encrypt` encrypted it for this organization. */
  readonly encryptedSecret: string;
  /** The secret that the last rotation replaced, if it was to be kept for some hours; otherwise null. */
  readonly previousSecret: PreviousSecret | null;
  /** When the webhook was first configured. */
  readonly createdAt: Date;
  /** When it was last configured. A page can send it back as `unchangedSince`. */
  readonly updatedAt: Date;
}

/** A signing secret that was replaced by another one and is still used. */
export interface PreviousSecret {
  /** The secret as `Secrets.encrypt` encrypted it for this organization. */
  readonly encrypted: string;
  /** When its use ends, by the core's clock. From this time on, it counts as removed. */
  readonly until: Date;
}

/** A webhook as `decide` returns it, for the storage to keep. */
export type WebhookSettings = Omit<Webhook, 'id' | 'organizationId'>;

/** The webhook configurations, at most one for each organization. */
export interface Webhooks {
  /** The configuration of the organization; null: it has none. */
  of(organizationId: number): Promise<Webhook | null>;
  /**
   * Calls `decide` with the current configuration (null: none yet) and stores the result. No other caller changes the
   * configuration in between. If `decide` throws, nothing is stored and the error is passed on. Null, with nothing
   * stored: there is no such organization.
   */
  configure(
    organizationId: number,
    decide: (current: Webhook | null) => WebhookSettings,
    buildEntries?: BuildAuditEntries<Webhook>,
  ): Promise<Webhook | null>;
  /**
   * The results of the deliveries, as `Outbox.finish` has stored them. Tests and skipped and interrupted deliveries do
   * not count.
   */
  health(organizationId: number): Promise<WebhookHealth>;
  /**
   * Returns the health to one caller when the failures in a row have reached a step that was not yet returned since the
   * last success. Of several new steps, only the largest counts. Null for every other caller. `buildEntries` is called
   * for the caller that gets the health.
   */
  takeFailureNotice(
    request: {
      readonly organizationId: number;
      readonly steps: readonly number[];
    },
    buildEntries?: BuildAuditEntries<WebhookHealth>,
  ): Promise<WebhookHealth | null>;
}

/** Whether the deliveries to a webhook arrive. */
export interface WebhookHealth {
  /** 0 after a success, and before the first delivery. */
  readonly failuresInRow: number;
  /** When the first of these failures ended; null if there is none. */
  readonly failingSince: Date | null;
  /** Of several successes within ten seconds, this may be the first. */
  readonly lastDeliveredAt: Date | null;
}

// ── Events, deliveries and attempts ────────────────────────────────────────────────────────────────────────

/** An event with the exact text that is signed and sent. */
export interface NewEvent {
  /** UUID. */
  readonly id: string;
  /** Tells receivers what happened. */
  readonly name: EventName;
  /** The organization whose webhook gets the event. */
  readonly organizationId: number;
  /** The JSON text that is signed and sent, byte for byte. */
  readonly body: string;
  /** When it happened. */
  readonly createdAt: Date;
}

/** The event of a registration. It is always recorded in the feed; the webhook gets it only if it asked for it. */
export interface RegistrationEvent extends NewEvent {
  /** Whether the event is also written to the outbox. */
  readonly isDelivered: boolean;
}

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
   * All headers of the request, by name. If the attempt ended in a phase before `request`, none of them were sent.
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
   * Null: the attempt was interrupted, the request could not be made, an older release recorded the attempt, or the
   * person that the event tells of was erased.
   */
  readonly request: AttemptRequest | null;
  /** Null: there was no answer, an older release recorded the attempt, or the person was erased. */
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
   * True: skipped because it was dropped while held, or because the person it tells of was erased. False: not skipped, or
   * skipped because the webhook was disabled.
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

/** A delivery that one caller of `claim` holds until it is finished or its claim is recovered as stale. */
export interface ClaimedDelivery {
  /** The delivery to send and to finish. */
  readonly deliveryId: number;
  /** The id of the claim, which `finish` needs. */
  readonly claim: string;
  /** The organization whose webhook gets the event. */
  readonly organizationId: number;
  /** The UUID of the event, sent as a header. */
  readonly eventId: string;
  /** Sent as a header. */
  readonly eventName: EventName;
  /** The text to sign and send, byte for byte. */
  readonly body: string;
  /** A test of the webhook, which is sent even while the webhook is disabled. */
  readonly isTest: boolean;
}

// ── The outbox and the log ─────────────────────────────────────────────────────────────────────────────────

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
    buildEntries?: BuildAuditEntries<ClaimedDelivery>,
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
   * removed in the same transaction. `buildEntries` is called if the delivery is the success that ends failures of which
   * `takeFailureNotice` has returned a step. Of several successes at once, it is called for one, or for the next one.
   */
  finish(
    result: {
      readonly deliveryId: number;
      readonly claim: string;
      readonly state: 'delivered' | 'failed' | 'skipped';
      readonly attempt: RecordedAttempt | null;
      readonly at: Date;
    },
    buildEntries?: BuildAuditEntries<{ readonly organizationId: number }>,
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
  list(query: {
    /** Null: of every organization. */
    readonly organizationId: number | null;
    readonly state?: DeliveryState | undefined;
    /** Created at this time or later. */
    readonly since?: Date | undefined;
    /** Created before this time. */
    readonly until?: Date | undefined;
    /** A UUID. */
    readonly eventId?: string | undefined;
    readonly isTest?: boolean | undefined;
    /** Only deliveries that come after this one in the order. */
    readonly olderThan?: Pick<Delivery, 'id' | 'createdAt'> | undefined;
    readonly limit: number;
  }): Promise<readonly Delivery[]>;
  /**
   * Makes a delivery in a final state, or a held one, pending again. A delivery that is pending or under way stays so
   * and makes no audit entry. False: the organization has no such delivery. 'erased', with nothing changed: the person
   * that the event tells of was erased. With null as `organizationId`, the delivery may belong to any organization.
   */
  redeliver(
    key: { readonly organizationId: number | null; readonly deliveryId: number },
    buildEntries?: BuildAuditEntries<{ readonly organizationId: number; readonly eventId: string }>,
  ): Promise<boolean | 'erased'>;
  /** The number of matching deliveries. */
  count(selection: DeliverySelection): Promise<number>;
  /**
   * Makes all matching deliveries pending again and returns their number. May use several transactions, each of which
   * writes the audit entries for its own changes. At the end, each organization has the entries of the last call of
   * `buildEntries`, with the number of that organization's deliveries. After an interruption, the entries tell how many
   * deliveries were changed.
   */
  redeliverMatching(
    selection: DeliverySelection,
    buildEntries?: BuildAuditEntries<{ readonly organizationId: number; readonly count: number }>,
  ): Promise<number>;
  /** Ends held deliveries as skipped and marks them as dropped; audit entries are written as in `redeliverMatching`. */
  dropHeld(
    request: Pick<DeliverySelection, 'organizationId' | 'since' | 'until'> & { readonly at: Date },
    buildEntries?: BuildAuditEntries<{ readonly organizationId: number; readonly count: number }>,
  ): Promise<number>;
}

// ── The feed of events ─────────────────────────────────────────────────────────────────────────────────────

/** An event in its organization's feed. */
export interface RecordedEvent extends NewEvent {
  /** The event's place in the feed: a whole number from 1 to 2^53 - 1. */
  readonly position: number;
}

/** A place in a feed from which a reader continues. */
export interface FeedPlace {
  /** The position of the last event that the reader has passed; 0: none. */
  readonly position: number;
  /** The id of the event at this position; null: not known. */
  readonly eventId: string | null;
}

/** What a reader asks for. */
export interface FeedQuery {
  /** The organization whose events are read. */
  readonly organizationId: number;
  /** Null: from the oldest event that is kept, or from the newest one if the order is `desc`. */
  readonly after: FeedPlace | null;
  /** `asc`: by position. `desc`: the largest position first. */
  readonly order: 'asc' | 'desc';
  /** Only events with this name. */
  readonly name?: EventName | undefined;
  /** The maximum number of events. */
  readonly limit: number;
}

/** A page of a feed. */
export interface FeedPage {
  /** In the order that the query asks for. */
  readonly events: readonly RecordedEvent[];
  /** Whether more events come after these in this order. */
  readonly hasMore: boolean;
  /** Where a reader continues who has read this page. */
  readonly next: FeedPlace;
}

/** The feed no longer has the events that come after the place, or never had the event at that place. */
export interface FeedExpired {
  /** A reader who continues here misses no event that is kept. */
  readonly oldest: FeedPlace;
}

/** The events of each organization in an order that never changes. `Members.register` writes them. */
export interface EventFeed {
  /**
   * Returns every event that was committed before the call, as far as the page reaches, with its position. An event
   * whose transaction took longer than a minute may appear up to a minute later.
   *
   * A position never changes. Once `read` has returned a position, no event gets a smaller one, even if its
   * transaction began earlier and committed later. So a reader who always continues at `next` gets each event exactly
   * once, however many instances register and read at the same time.
   *
   * Without further events, the page is empty and `next` is the place to ask again. `FeedExpired`: events after the
   * place are no longer kept, or the place is not one of this feed, for example because the storage was restored from
   * an older backup.
   */
  read(query: FeedQuery): Promise<FeedPage | FeedExpired>;
}

// ── Sending ────────────────────────────────────────────────────────────────────────────────────────────────

/** A signed request, ready to be sent. */
export interface WebhookRequest {
  /** An absolute URL that begins with `https://`. */
  readonly url: string;
  /** The headers to send, with the signature and the id of the event. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as exactly these UTF-8 bytes. */
  readonly body: string;
}

/** The result of sending a request. */
export interface SentAttempt extends Omit<RecordedAttempt, 'startedAt'> {
  /** The URL and the headers of the request. */
  readonly request: AttemptRequest;
}

/** Sends events over the network. */
export interface WebhookSender {
  /**
   * Sends exactly one POST with these headers and this body, and returns the result. Never throws, does not wait for
   * other attempts, and ends after 16 s at the latest, even if the receiver stalls or sends without end.
   *
   * Sends only to https URLs without credentials, and only to receivers with a trusted certificate for the host of the
   * URL. Connects only to public addresses and to those that the operator has allowed, however the URL writes them. Of
   * a name, every address must be allowed. A refused URL or address ends the attempt without a connection, in the phase
   * `address`, or `lookup` for a name.
   *
   * The status of the first final answer (200 or higher) decides, even if its body does not arrive: only 2xx counts as
   * delivered. Redirects are not followed, and nothing is sent twice. Without an answer, the status is null.
   *
   * The result contains the request with every header that was sent, those that the sender added too, and the response
   * within the limits of `AttemptResponse`. Without an answer, the response is null.
   */
  send(request: WebhookRequest): Promise<SentAttempt>;
  /**
   * The reason with which `send` would refuse the URL, if it is known without an attempt; otherwise null. Connects to
   * nothing and looks no name up.
   */
  refusalOf(url: string): string | null;
}

/** Starts the sending of events. */
export interface Dispatcher {
  /** Asks for new deliveries to be sent soon. A lost call delays an event, but never loses one. */
  wake(): void;
}
