import { Refusal } from '../errors.js';
import type { Organization } from '../ports.js';
import type { World } from '../world.js';

export interface Redeliver {
  readonly organization: Pick<Organization, 'id'>;
  readonly deliveryId: number;
}

/** Sends an event once more: same bytes and event id, current URL and secret, one attempt (decision 20). */
export async function redeliver(
  { deliveries, dispatcher }: Pick<World, 'deliveries' | 'dispatcher'>,
  { organization, deliveryId }: Redeliver,
): Promise<void> {
  const found = await deliveries.redeliver({ organizationId: organization.id, deliveryId });
  if (!found) throw new Refusal('delivery-not-found', `There is no delivery ${deliveryId}`);
  dispatcher.wake();
}
