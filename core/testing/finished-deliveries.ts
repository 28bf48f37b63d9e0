import type { StoragePorts } from '../ports.js';
import type { Deliveries, RecordedAttempt } from '../webhooks/ports/deliveries.js';
import { testUuid } from './dataset.js';
import { expectEqual } from './expect.js';
import { failedAttempt, later, noon, plenty } from './queue-events.js';
import { eventName, subscribe } from './subscribe.js';

export function event(organizationId: number, number: number, createdAt = noon) {
  const id = testUuid(organizationId * 10_000 + number);
  return { id, name: eventName, organizationId, body: String(number), createdAt } as const;
}

export interface Queued {
  readonly number: number;
  readonly at?: Date;
}

/** Registers a user of organization 1 and claims the event with the claim `a`. Returns the delivery's id. */
export async function queued(storage: StoragePorts, what: Queued): Promise<number> {
  await registered(storage, what);
  const [claimed] = await storage.outbox.claim({ ...plenty, claim: 'a', at: noon });
  return claimed?.deliveryId ?? 0;
}

/** Registers a user of organization 1 and leaves the event pending. */
export async function registered(
  { members, webhooks }: StoragePorts,
  { number, at = noon }: Queued,
): Promise<void> {
  const user = {
    uuid: testUuid(number + 500),
    email: `person-${number}@example.test`,
    firstName: 'New',
    lastName: 'Person',
    passwordHash: null,
    createdAt: at,
  };
  const entry = { organizationId: 1, user, uuid: null, idpId: null, invitationId: null, at } as const;
  await subscribe({ webhooks }, [1]);
  await members.register({ ...entry, role: 'member' }, () => [event(1, number, at)]);
}

export interface Finished extends Queued {
  readonly state: 'delivered' | 'failed' | 'skipped';
  readonly isTest?: boolean;
  readonly finishedAt?: Date;
  readonly attempt?: Partial<RecordedAttempt>;
}

/** Makes a delivery of organization 1 that has reached this state. Returns its id. */
export async function finished(
  storage: StoragePorts,
  { number, state, at = noon, isTest = false, finishedAt, ...rest }: Finished,
): Promise<number> {
  const started = isTest
    ? await storage.outbox.startTest({ event: event(1, number, at), claim: 'a', at: noon })
    : null;
  const deliveryId = isTest ? (started?.deliveryId ?? 0) : await queued(storage, { number, at });
  expectEqual(
    await finish(storage, { deliveryId, claim: 'a', state, at: finishedAt ?? later, ...rest }),
    true,
  );
  return deliveryId;
}

export async function finish(
  { outbox }: StoragePorts,
  result: {
    readonly deliveryId: number;
    readonly claim: string;
    readonly state: Finished['state'];
    readonly at?: Date;
    readonly attempt?: Partial<RecordedAttempt>;
  },
): Promise<boolean> {
  const attempt = result.state === 'skipped' ? null : { ...failedAttempt, ...result.attempt };
  return outbox.finish({ at: later, ...result, attempt });
}

/** Lists deliveries, by default of organization 1, and returns the numbers of their events. */
export async function numbers(
  { deliveries }: StoragePorts,
  query: Partial<Parameters<Deliveries['list']>[0]>,
): Promise<readonly number[]> {
  const found = await deliveries.list({ organizationId: 1, limit: 10, ...query });
  return found.map(({ body }) => Number(body));
}
