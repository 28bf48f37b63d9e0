import type { FailureNotice } from './failure-notice.js';
import type { Attempt } from './ports.js';

export interface DeliveryReport {
  readonly deliveryId: number;
  readonly eventId: string;
  readonly organizationId: number;
  readonly state: 'delivered' | 'failed' | 'skipped';
  /** Null: skipped, nothing was sent. */
  readonly attempt: Attempt | null;
  /** Why no request could be made: somebody has to look at it. Null nearly always. */
  readonly error: unknown;
  /** That the webhook goes on failing, for the operator; null mostly. */
  readonly notice: FailureNotice | null;
}
