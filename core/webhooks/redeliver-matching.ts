import { type Acting, checkActor } from '../access/acting.js';
import { auditEntries } from '../access/audit-entries.js';
import type { Uses } from '../deps.js';
import { type MatchingDeliveries, selectionOf } from './matching-deliveries.js';

/** The request of `redeliverMatching`. */
export interface RedeliverMatching extends MatchingDeliveries, Acting {}

/**
 * Sends all matching events again, as `redeliver` does, except tests, and returns how many.
 *
 * @throws `TypeError` if `organization` is neither null nor has an id, or a state or the phase is unknown.
 */
export async function redeliverMatching(
  { deliveries, dispatcher, clock }: Uses<'clock.now' | 'deliveries.redeliverMatching' | 'dispatcher.wake'>,
  { by, ...matching }: RedeliverMatching,
): Promise<number> {
  checkActor(by);
  const selection = selectionOf(matching);
  const at = clock.now();
  const count = await deliveries.redeliverMatching(selection, ({ organizationId, count: ofOrganization }) =>
    auditEntries(
      { by, at },
      { organizationId, action: 'deliveries-redelivered', subject: String(ofOrganization) },
    ),
  );
  if (count > 0) dispatcher.wake();
  return count;
}
