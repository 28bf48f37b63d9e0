import type { FailureNotice } from './failure-notice.js';
import type { RecordedAttempt } from './ports/deliveries.js';
import type { ClaimedDelivery } from './ports/outbox.js';

/** The result of one delivery, written to the log already. */
export interface DeliveryReport extends Pick<ClaimedDelivery, 'deliveryId' | 'eventId' | 'organizationId'> {
  /** `skipped`: nothing was sent, because the webhook is disabled or has no URL. */
  readonly state: 'delivered' | 'failed' | 'skipped';
  /** Null: the delivery was skipped, and nothing was sent. */
  readonly attempt: RecordedAttempt | null;
  /** The runtime's code of the error that ended the attempt; left out if there is none. It is not stored. */
  readonly code?: string | undefined;
  /** The error that prevented the request, which the operator must fix; otherwise null. */
  readonly error: unknown;
  /** For the operator: the webhook keeps failing. Null if no notice is due. */
  readonly notice: FailureNotice | null;
}

/**
 * A delivery that another process has taken over, because this one did not begin its attempt in time. This process has
 * sent nothing and recorded nothing.
 */
export interface TakenOverDelivery extends Pick<DeliveryReport, 'deliveryId' | 'eventId' | 'organizationId'> {
  /** Tells it from a delivery that this process has ended. */
  readonly state: 'taken-over';
  /** Nothing was sent. */
  readonly attempt: null;
  /** Nothing has to be fixed. */
  readonly error: null;
  /** The other process knows whether one is due. */
  readonly notice: null;
}
