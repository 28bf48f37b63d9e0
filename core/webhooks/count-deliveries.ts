import type { Uses } from '../deps.js';
import { type MatchingDeliveries, selectionOf } from './matching-deliveries.js';

/** Counts the events that `redeliverMatching` would send. */
export async function countDeliveries(
  { deliveries }: Uses<'deliveries.count'>,
  matching: MatchingDeliveries,
): Promise<number> {
  return deliveries.count(selectionOf(matching));
}
