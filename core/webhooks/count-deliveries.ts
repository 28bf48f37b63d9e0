import type { Uses } from '../deps.js';
import { type MatchingDeliveries, selectionOf } from './matching-deliveries.js';

/**
 * Counts the events that `redeliverMatching` would send.
 *
 * @throws `TypeError` if `organization` is neither null nor has an id, or a state or the phase is unknown.
 */
export async function countDeliveries(
  { deliveries }: Uses<'deliveries.count'>,
  matching: MatchingDeliveries,
): Promise<number> {
  return deliveries.count(selectionOf(matching));
}
