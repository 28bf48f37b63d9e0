import type { Acting } from '../access/acting.js';
import type { Uses } from '../deps.js';
import type { MatchingDeliveries } from './matching-deliveries.js';
import { redeliverMatching } from './redeliver-matching.js';

/** The request of `redeliverFailed`. */
export interface RedeliverFailed extends Pick<MatchingDeliveries, 'organization'>, Acting {
  /** The event happened at this time or later. */
  readonly since: Date;
}

/**
 * Sends all failed events again, as `redeliver` does, except tests, and returns how many.
 *
 * @throws `TypeError` if `organization` is neither null nor has an id.
 */
export async function redeliverFailed(
  deps: Uses<typeof redeliverMatching>,
  { organization, since, by }: RedeliverFailed,
): Promise<number> {
  return redeliverMatching(deps, { organization, states: ['failed'], since, by });
}
