import type { FailureNotice } from './failure-notice.js';
import type { Attempt } from './ports.js';

export interface DeliveryReport {
  readonly deliveryId: number;
  readonly eventId: string;
  readonly organizationId: number;
  readonly state: 'delivered' | 'failed' | 'skipped';
  /** Null: skipped, nothing was sent. */
  readonly attempt: Attempt | null;
  /** Why the request could not be made: the operator must fix it. Null otherwise. */
  readonly error: unknown;
  /** For the operator: the webhook keeps failing. Null if no notice is due. */
  readonly notice: FailureNotice | null;
}
