import { type Acting, checkActor } from '../access/acting.js';
import { auditEntries } from '../access/audit-entries.js';
import type { KeptAnswer } from '../access/ports/idempotency-keys.js';
import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import { CallLost, Refusal } from '../errors.js';
import { mayBeId } from '../values/ids.js';
import { deliveryNotFound } from './delivery-not-found.js';
import { countTest, takeTestBack } from './limit-tests.js';

/** The request of `redeliver`. */
export interface Redeliver extends Acting {
  /** Null: a delivery of any organization; for the operator only. */
  readonly organization: Pick<Organization, 'id'> | null;
  /** The `id` of a `Delivery`, in any state. */
  readonly deliveryId: number;
  /** Called in the transaction, which keeps the answer: see `answerOnce`. */
  readonly keep?: (() => KeptAnswer) | undefined;
}

/**
 * Sends an event again with the same event id and body, to the current URL with the current secret, in one attempt. A
 * test that an organization sends again counts as a test; the operator's do not.
 *
 * @throws `Refusal`: `delivery-not-found`, also for a delivery of another organization; `delivery-erased` if the person
 * that the event tells of was erased; `too-many-requests` after ten tests of the organization in a minute.
 */
export async function redeliver(
  deps: Uses<'clock.now' | 'deliveries.redeliver' | 'dispatcher.wake' | typeof countIfTest>,
  { organization, deliveryId, keep, by }: Redeliver,
): Promise<void> {
  const { deliveries, dispatcher, clock } = deps;
  checkActor(by);
  const isPossible =
    (organization === null || mayBeId('organization.id', organization.id)) &&
    mayBeId('deliveryId', deliveryId);
  if (!isPossible) throw deliveryNotFound(deliveryId);
  const key = { organizationId: organization === null ? null : organization.id, deliveryId };
  const takeBack = await countIfTest(deps, key);

  const at = clock.now();
  let isQueued = false;
  const redelivered = deliveries.redeliver(key, ({ organizationId, eventId, isTest, userId, isChanged }) => {
    isQueued = isChanged;
    const subject = isTest ? testSubject(eventId) : eventId;
    const about = { subject, aboutUserId: userId, objectId: String(deliveryId) };
    const entry = { organizationId, action: 'delivery-redelivered', ...about } as const;
    return [...(isChanged ? auditEntries({ by, at }, entry) : []), ...(keep === undefined ? [] : [keep()])];
  });
  const found = await redelivered.catch(async (error: unknown) => {
    if (error instanceof CallLost) await takeBack?.();
    throw error;
  });
  if (!isQueued) await takeBack?.();
  if (found === false) throw deliveryNotFound(deliveryId);
  if (found === 'erased')
    throw new Refusal('delivery-erased', 'The person was erased, so this event cannot be sent again');
  dispatcher.wake();
}

/** The subject of an entry for a test that was sent again. */
function testSubject(eventId: string): string {
  return `test ${eventId}`;
}

interface DeliveryKey {
  readonly organizationId: number | null;
  readonly deliveryId: number;
}

/**
 * Counts a test of an organization, which is sent to a URL that may have changed. Returns what takes it back; null: it was
 * not counted.
 */
async function countIfTest(
  deps: Uses<'deliveries.find' | 'limits.consume' | 'limits.forgive'>,
  { organizationId, deliveryId }: DeliveryKey,
): Promise<(() => Promise<void>) | null> {
  if (organizationId === null) return null;
  const delivery = await deps.deliveries.find({ organizationId, deliveryId, onlyLastAttempt: true });
  if (delivery === null) throw deliveryNotFound(deliveryId);
  if (!delivery.isTest) return null;
  await countTest(deps, organizationId);
  return () => takeTestBack(deps, organizationId);
}
