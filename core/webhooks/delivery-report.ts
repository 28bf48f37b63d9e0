import type { FailureNotice } from './failure-notice.js';
import type { Attempt } from './ports.js';

export interface DeliveryReport {
  readonly deliveryId: number;
  readonly eventId: string;
  readonly organizationId: number;
  readonly state: 'delivered' | 'failed' | 'skipped';
  /** Null: the delivery was skipped, and nothing was sent. */
  readonly attempt: Attempt | null;
  /** The error that prevented the request, which the operator must fix; otherwise null. */
  readonly error: unknown;
  /** For the operator: the webhook keeps failing. Null if no notice is due. */
  readonly notice: FailureNotice | null;
}
