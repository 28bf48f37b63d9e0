import type { Journal } from '../../access/ports/journal.js';
import type { EventName } from '../events.js';

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
    journal?: Journal<Webhook>,
  ): Promise<Webhook | null>;
  /**
   * The results of the deliveries, as `Outbox.finish` has stored them. Tests and skipped and interrupted deliveries do
   * not count.
   */
  health(organizationId: number): Promise<WebhookHealth>;
  /**
   * Returns the health to one caller when the failures in a row have reached a step that was not yet returned since the
   * last success. Of several new steps, only the largest counts. Null for every other caller. `journal` is called
   * for the caller that gets the health.
   */
  takeFailureNotice(
    request: {
      readonly organizationId: number;
      readonly steps: readonly number[];
    },
    journal?: Journal<WebhookHealth>,
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
