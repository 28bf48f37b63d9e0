import { type Acting, checkActor } from '../access/acting.js';
import { auditEntries } from '../access/audit-entries.js';
import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { checkId, mayBeId } from '../values/ids.js';

/** The request of `dismissFailed`. */
export interface DismissFailed extends Acting, OfOrganization {
  /** The `id` of a `Delivery`. `all`: every failed delivery. */
  readonly deliveryId: number | 'all';
}

/**
 * Ends failed deliveries as skipped, because nobody needs them any more: they are not counted as undelivered, stay in the
 * log, and can still be redelivered one by one. Tests stay as they are. Returns how many.
 *
 * @throws `TypeError` if `organization.id` is not an id, or `deliveryId` is neither `all` nor a number.
 */
export async function dismissFailed(
  { deliveries, clock }: Uses<'clock.now' | 'deliveries.drop'>,
  { by, organization, deliveryId }: DismissFailed,
): Promise<number> {
  checkActor(by);
  const organizationId = checkId('organization.id', organization.id);
  if (deliveryId !== 'all' && !mayBeId('deliveryId', deliveryId)) return 0;
  const at = clock.now();
  const failed = { organizationId, states: ['failed'], ...(deliveryId !== 'all' && { deliveryId }) } as const;
  return deliveries.drop({ ...failed, at }, ({ count }) =>
    auditEntries(
      { by, at },
      {
        organizationId,
        action: 'deliveries-dismissed',
        subject: String(count),
        objectId: deliveryId === 'all' ? null : String(deliveryId),
      },
    ),
  );
}
