import { type Acting, checkActor } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import type { Organization } from '../access/ports.js';
import type { Uses } from '../deps.js';
import { clampTimestamp } from '../values/timestamp.js';
import { oneOrEvery } from './matching-deliveries.js';

/** The request of `redeliverFailed`. */
export interface RedeliverFailed extends Acting {
  /** Null: deliveries of every organization; for the operator only. */
  readonly organization: Pick<Organization, 'id'> | null;
  /** The event happened at this time or later. */
  readonly since: Date;
}

/**
 * Sends all failed events again, as `redeliver` does, except tests, and returns how many.
 *
 * @throws `TypeError` if `organization` is neither null nor has an id.
 */
export async function redeliverFailed(
  { deliveries, dispatcher, clock }: Uses<'clock.now' | 'deliveries.redeliverMatching' | 'dispatcher.wake'>,
  { organization, since, by }: RedeliverFailed,
): Promise<number> {
  checkActor(by);
  const organizationId = oneOrEvery(organization);
  const at = clock.now();
  const count = await deliveries.redeliverMatching(
    { organizationId, states: ['failed'], since: clampTimestamp(since) },
    ({ organizationId: id, count: ofOrganization }) =>
      auditEntries(
        { by, at },
        { organizationId: id, action: 'deliveries-redelivered', subject: String(ofOrganization) },
      ),
  );
  if (count > 0) dispatcher.wake();
  return count;
}
