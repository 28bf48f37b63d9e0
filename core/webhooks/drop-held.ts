import { type Acting, checkActor } from '../access/acting.js';
import { auditEntries } from '../access/audit-entries.js';
import type { Uses } from '../deps.js';
import { type MatchingDeliveries, oneOrEvery, storablePeriod } from './matching-deliveries.js';

/** The request of `dropHeld`. */
export interface DropHeld extends Acting, Pick<MatchingDeliveries, 'organization' | 'since' | 'until'> {}

/**
 * Ends held deliveries as skipped: they are not sent and stay in the log. Returns how many.
 *
 * @throws `TypeError` if `organization` is neither null nor has an id.
 */
export async function dropHeld(
  { deliveries, clock }: Uses<'clock.now' | 'deliveries.drop'>,
  { by, organization, since, until }: DropHeld,
): Promise<number> {
  checkActor(by);
  const held = { ...storablePeriod({ since, until }), organizationId: oneOrEvery(organization) };
  const at = clock.now();
  return deliveries.drop({ ...held, states: ['held'], at }, ({ organizationId, count }) =>
    auditEntries({ by, at }, { organizationId, action: 'deliveries-dropped', subject: String(count) }),
  );
}
