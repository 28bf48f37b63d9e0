import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { mayBeId } from '../values/ids.js';

/** The request of `neighboringDeliveries`. */
export interface NeighboringDeliveries extends OfOrganization {
  /** The `id` of a `Delivery`. */
  readonly deliveryId: number;
}

/**
 * The ids of the deliveries next to this one in the log, or null: there is none, or the organization has no such delivery.
 *
 * @throws `TypeError` if an id is not a number.
 */
export async function neighboringDeliveries(
  { deliveries }: Uses<'deliveries.neighbors'>,
  { organization, deliveryId }: NeighboringDeliveries,
): Promise<{ readonly newer: number | null; readonly older: number | null }> {
  const isPossible = mayBeId('organization.id', organization.id) && mayBeId('deliveryId', deliveryId);
  if (!isPossible) return { newer: null, older: null };
  return deliveries.neighbors({ organizationId: organization.id, deliveryId });
}
