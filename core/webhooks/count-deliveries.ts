import type { Uses } from '../deps.js';
import { type MatchingDeliveries, selectionOf } from './matching-deliveries.js';

/** How many events `redeliverMatching` would send. */
export async function countDeliveries(
  { deliveries }: Uses<'deliveries.count'>,
  matching: MatchingDeliveries,
): Promise<number> {
  return deliveries.count(selectionOf(matching));
}
