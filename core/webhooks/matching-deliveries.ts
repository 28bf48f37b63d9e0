import type { Organization } from '../access/ports.js';
import { clampTimestamp } from '../values/timestamp.js';
import type { DeliverySelection } from './ports.js';

export interface MatchingDeliveries extends Omit<DeliverySelection, 'organizationId'> {
  /** Null: deliveries of every organization; for the operator only. */
  readonly organization: Pick<Organization, 'id'> | null;
}

export function selectionOf({ organization, since, until, ...rest }: MatchingDeliveries): DeliverySelection {
  return {
    ...rest,
    organizationId: organization?.id ?? null,
    since: since && clampTimestamp(since),
    until: until && clampTimestamp(until),
  };
}
