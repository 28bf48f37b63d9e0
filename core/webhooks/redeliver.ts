import { Refusal } from '../errors.js';
import type { Organization } from '../ports.js';
import type { World } from '../world.js';

export interface Redeliver {
  /** Null: whosever it is, which is for the operator alone. */
  readonly organization: Pick<Organization, 'id'> | null;
  readonly deliveryId: number;
}

/** Sends an event once more: same bytes and event id, current URL and secret, one attempt (decision 20). */
export async function redeliver(
  { deliveries, dispatcher }: Pick<World, 'deliveries' | 'dispatcher'>,
  { organization, deliveryId }: Redeliver,
): Promise<void> {
  const organizationId = organization?.id ?? null;
  const found = await deliveries.redeliver({ organizationId, deliveryId });
  if (!found) throw new Refusal('delivery-not-found', `There is no delivery ${deliveryId}`);
  dispatcher.wake();
}

export interface RedeliverFailed {
  /** Null: of every organization, which is for the operator alone. */
  readonly organization: Pick<Organization, 'id'> | null;
  /** The moment of the event, or later. */
  readonly since: Date;
}

/** The same for every event that failed; says how many. */
export async function redeliverFailed(
  { deliveries, dispatcher }: Pick<World, 'deliveries' | 'dispatcher'>,
  { organization, since }: RedeliverFailed,
): Promise<number> {
  const count = await deliveries.redeliverFailed({ organizationId: organization?.id ?? null, since });
  if (count > 0) dispatcher.wake();
  return count;
}
