import { Refusal } from '../errors.js';
import type { Organization } from '../ports.js';
import { isId } from '../values/id.js';
import { clampMoment } from '../values/moment.js';
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
  const found = isId(deliveryId) && (await deliveries.redeliver({ organizationId, deliveryId }));
  if (!found) throw deliveryNotFound(deliveryId);
  dispatcher.wake();
}

export function deliveryNotFound(deliveryId: number): Refusal {
  return new Refusal('delivery-not-found', `There is no delivery ${deliveryId}`);
}

export interface RedeliverFailed {
  /** Null: of every organization, which is for the operator alone. */
  readonly organization: Pick<Organization, 'id'> | null;
  /** The moment of the event, or later. */
  readonly since: Date;
}

/** The same for every event that failed, tests excepted; says how many. */
export async function redeliverFailed(
  { deliveries, dispatcher }: Pick<World, 'deliveries' | 'dispatcher'>,
  { organization, since }: RedeliverFailed,
): Promise<number> {
  const count = await deliveries.redeliverFailed({
    organizationId: organization?.id ?? null,
    since: clampMoment(since),
  });
  if (count > 0) dispatcher.wake();
  return count;
}
