import { type Acting, noteOf } from '../access/actor.js';
import { Refusal } from '../errors.js';
import type { Organization } from '../ports.js';
import type { World } from '../world.js';

export interface Redeliver extends Acting {
  /** Null: whosever it is, which is for the operator alone. */
  readonly organization: Pick<Organization, 'id'> | null;
  readonly deliveryId: number;
}

/** Sends an event once more: same bytes and event id, current URL and secret, one attempt (decision 20). */
export async function redeliver(
  { deliveries, dispatcher, clock }: Pick<World, 'deliveries' | 'dispatcher' | 'clock'>,
  { organization, deliveryId, by }: Redeliver,
): Promise<void> {
  const at = clock.now();
  const found = await deliveries.redeliver(
    { organizationId: organization?.id ?? null, deliveryId },
    ({ organizationId, eventId }) =>
      noteOf({ by, at }, { organizationId, action: 'delivery-redelivered', subject: eventId }),
  );
  if (!found) throw new Refusal('delivery-not-found', `There is no delivery ${deliveryId}`);
  dispatcher.wake();
}

export interface RedeliverFailed extends Acting {
  /** Null: of every organization, which is for the operator alone. */
  readonly organization: Pick<Organization, 'id'> | null;
  /** The moment of the event, or later. */
  readonly since: Date;
}

/** The same for every event that failed; says how many. */
export async function redeliverFailed(
  { deliveries, dispatcher, clock }: Pick<World, 'deliveries' | 'dispatcher' | 'clock'>,
  { organization, since, by }: RedeliverFailed,
): Promise<number> {
  const at = clock.now();
  const count = await deliveries.redeliverFailed(
    { organizationId: organization?.id ?? null, since },
    ({ organizationId, count: own }) =>
      noteOf({ by, at }, { organizationId, action: 'deliveries-redelivered', subject: String(own) }),
  );
  if (count > 0) dispatcher.wake();
  return count;
}
