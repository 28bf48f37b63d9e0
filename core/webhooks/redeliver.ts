import { type Acting, checkActor } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import type { KeptAnswer } from '../access/ports/idempotency-keys.js';
import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { isId } from '../values/ids.js';

/** The request of `redeliver`. */
export interface Redeliver extends Acting {
  /** Null: a delivery of any organization; for the operator only. */
  readonly organization: Pick<Organization, 'id'> | null;
  /** The `id` of a `Delivery`, in any state. */
  readonly deliveryId: number;
  /** Called in the transaction, which keeps the answer: see `answerOnce`. Not called if the delivery is pending already. */
  readonly keep?: (() => KeptAnswer) | undefined;
}

/**
 * Sends an event again with the same event id and body, to the current URL with the current secret, in one attempt.
 *
 * @throws `Refusal`: `delivery-not-found`, also for a delivery of another organization; `delivery-erased` if the person
 * that the event tells of was erased.
 */
export async function redeliver(
  { deliveries, dispatcher, clock }: Uses<'clock.now' | 'deliveries.redeliver' | 'dispatcher.wake'>,
  { organization, deliveryId, keep, by }: Redeliver,
): Promise<void> {
  checkActor(by);
  const isPossible = (organization === null || isId(organization.id)) && isId(deliveryId);
  if (!isPossible) throw deliveryNotFound(deliveryId);
  const at = clock.now();
  const buildEntries = ({
    organizationId,
    eventId,
  }: {
    readonly organizationId: number;
    readonly eventId: string;
  }) => [
    ...auditEntries({ by, at }, { organizationId, action: 'delivery-redelivered', subject: eventId }),
    ...(keep === undefined ? [] : [keep()]),
  ];
  const key = { organizationId: organization === null ? null : organization.id, deliveryId };
  const found = await deliveries.redeliver(key, buildEntries);
  if (found === false) throw deliveryNotFound(deliveryId);
  if (found === 'erased')
    throw new Refusal('delivery-erased', 'The person was erased, so this event cannot be sent again');
  dispatcher.wake();
}

export function deliveryNotFound(deliveryId: number): Refusal {
  const which = isId(deliveryId) ? `delivery ${deliveryId}` : 'such delivery';
  return new Refusal('delivery-not-found', `There is no ${which}`);
}
