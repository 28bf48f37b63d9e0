import { type Acting, auditEntries } from '../access/actor.js';
import type { Organization } from '../access/ports.js';
import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import { isId } from '../values/ids.js';
import { clampTimestamp } from '../values/timestamp.js';

export interface Redeliver extends Acting {
  /** Null: whosever it is, which is for the operator alone. */
  readonly organization: Pick<Organization, 'id'> | null;
  readonly deliveryId: number;
}

/** Sends an event once more: same bytes and event id, current URL and secret, one attempt (decision 20). */
export async function redeliver(
  { deliveries, dispatcher, clock }: Pick<Deps, 'deliveries' | 'dispatcher' | 'clock'>,
  { organization, deliveryId, by }: Redeliver,
): Promise<void> {
  const at = clock.now();
  const buildEntries = ({
    organizationId,
    eventId,
  }: {
    readonly organizationId: number;
    readonly eventId: string;
  }) => auditEntries({ by, at }, { organizationId, action: 'delivery-redelivered', subject: eventId });
  const key = { organizationId: organization?.id ?? null, deliveryId };
  const found = isId(deliveryId) && (await deliveries.redeliver(key, buildEntries));
  if (!found) throw deliveryNotFound(deliveryId);
  dispatcher.wake();
}

export function deliveryNotFound(deliveryId: number): Refusal {
  return new Refusal('delivery-not-found', `There is no delivery ${deliveryId}`);
}

export interface RedeliverFailed extends Acting {
  /** Null: of every organization, which is for the operator alone. */
  readonly organization: Pick<Organization, 'id'> | null;
  /** The moment of the event, or later. */
  readonly since: Date;
}

/** Sends every event that failed once more, as `redeliver` does, tests excepted; says how many. */
export async function redeliverFailed(
  { deliveries, dispatcher, clock }: Pick<Deps, 'deliveries' | 'dispatcher' | 'clock'>,
  { organization, since, by }: RedeliverFailed,
): Promise<number> {
  const at = clock.now();
  const count = await deliveries.redeliverMatching(
    { organizationId: organization?.id ?? null, states: ['failed'], since: clampTimestamp(since) },
    ({ organizationId, count: own }) =>
      auditEntries({ by, at }, { organizationId, action: 'deliveries-redelivered', subject: String(own) }),
  );
  if (count > 0) dispatcher.wake();
  return count;
}
