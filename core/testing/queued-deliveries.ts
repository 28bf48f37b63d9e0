import type { StoragePorts } from '../ports.js';
import type { NewEvent } from '../webhooks/events.js';
import type { Attempt, Deliveries, Delivery, RecordedAttempt } from '../webhooks/ports/deliveries.js';
import { anOrganization, testUuid } from './dataset.js';
import { expectEqual } from './expect.js';
import { aNewMember, aNewUser } from './new-member.js';
import { later, noon } from './noon.js';
import type { TestStorage } from './start-storage.js';
import { eventName, subscribe } from './subscribe.js';

export const plenty = { limit: 100, perOrganization: 100 };

export const failedAttempt: RecordedAttempt = {
  startedAt: noon,
  duration: 321,
  outcome: 'failed',
  phase: 'answer',
  status: 500,
  reason: 'answered 500',
  request: {
    url: 'https://partner.test/hooks?key=\u00e9',
    headers: {
      Host: 'partner.test',
      'X-Service-Signature': 'sha256=0123456789abcdef',
      'Content-Length': '58',
    },
  },
  response: {
    headers: { 'Content-Type': 'text/html', 'Set-Cookie': 'a=1, b=2' },
    body: '<h1>"Oops"</h1>\r\n\u0000\ufffd\ud83d\ude00',
    isTruncated: false,
  },
};

/** The attempt as lists contain it. */
export function withoutTexts({ request, response, ...attempt }: RecordedAttempt): Attempt {
  return attempt;
}

export function event(organizationId: number, number: number, createdAt = noon): NewEvent {
  const body = `{"number":${number},"text":"é \\" 😀 \\u0000"}`;
  return { id: eventId(organizationId, number), name: eventName, organizationId, body, createdAt };
}

export function eventId(organizationId: number, number: number): string {
  return testUuid(organizationId * 10_000 + number);
}

/** The number of the event with this body. */
export function numberOf({ body }: { readonly body: string }): number {
  return (JSON.parse(body) as { readonly number: number }).number;
}

export interface Queued {
  readonly number: number;
  readonly organizationId?: number;
  readonly at?: Date;
}

/** Registers a user of an organization with a webhook, by default 1, and leaves the event pending. */
export async function registered(
  { members }: StoragePorts,
  { number, organizationId = 1, at = noon }: Queued,
): Promise<void> {
  const user = aNewUser(organizationId * 10_000 + number, { createdAt: at });
  await members.register(aNewMember(user, { organizationId, at }), () => [event(organizationId, number, at)]);
}

/** Registers users one after another, so that the outbox holds their events. The numbers begin with `from`. */
export async function queue(
  storage: TestStorage,
  {
    count,
    from = 0,
    ...rest
  }: Omit<Queued, 'number'> & {
    readonly organizationId: number;
    readonly count: number;
    readonly from?: number;
  },
): Promise<void> {
  await storage.load({ organizations: [anOrganization(rest.organizationId)] });
  await subscribe(storage, [rest.organizationId]);
  for (let number = from; number < from + count; number += 1) await registered(storage, { number, ...rest });
}

/** Registers a user of organization 1 and claims the event with the claim `a`. Returns the delivery's id. */
export async function queued(storage: StoragePorts, what: Queued): Promise<number> {
  await registered(storage, what);
  const [claimed] = await storage.outbox.claim({ ...plenty, claim: 'a', at: noon });
  return claimed?.deliveryId ?? 0;
}

export async function claimOne(
  { outbox }: StoragePorts,
  claim: string,
  limit: number = plenty.limit,
): Promise<number> {
  const claimed = await outbox.claim({ ...plenty, limit, claim, at: noon });
  expectEqual(claimed.length, 1);
  return claimed[0]?.deliveryId ?? 0;
}

export interface Finished extends Omit<Queued, 'organizationId'> {
  readonly state: 'delivered' | 'failed' | 'skipped';
  readonly isTest?: boolean;
  readonly finishedAt?: Date;
  readonly attempt?: Partial<RecordedAttempt>;
}

/** Makes a delivery of organization 1 that has reached this state. Returns its id. */
export async function finished(
  storage: StoragePorts,
  { number, state, at = noon, isTest = false, finishedAt = later, ...rest }: Finished,
): Promise<number> {
  const started = isTest
    ? await storage.outbox.startTest({ event: event(1, number, at), claim: 'a', at: noon })
    : null;
  const deliveryId = isTest ? (started?.deliveryId ?? 0) : await queued(storage, { number, at });
  expectEqual(await finish(storage, { deliveryId, state, at: finishedAt, ...rest }), true);
  return deliveryId;
}

/** Finishes a delivery, by default one with the claim `a`. Returns what `outbox.finish` returns. */
export async function finish(
  { outbox }: StoragePorts,
  result: {
    readonly deliveryId: number;
    readonly claim?: string;
    readonly state: Finished['state'];
    readonly at?: Date;
    readonly attempt?: Partial<RecordedAttempt>;
  },
): Promise<boolean> {
  const attempt = result.state === 'skipped' ? null : { ...failedAttempt, ...result.attempt };
  return outbox.finish({ claim: 'a', at: later, ...result, attempt });
}

/** Finishes the oldest pending deliveries with these states, in this order. With several organizations, finish all. */
export async function finishOldest(
  storage: TestStorage,
  states: readonly Finished['state'][],
): Promise<void> {
  const claimed = await storage.outbox.claim({ ...plenty, limit: states.length, claim: 'a', at: noon });
  for (const [index, state] of states.entries())
    await finish(storage, { deliveryId: claimed[index]?.deliveryId ?? 0, state });
}

/** Ends every claim as if its process had been cut off. */
export async function cutOff({ outbox }: StoragePorts, maxClaims = 3) {
  return outbox.recoverStale({ olderThanMs: null, maxClaims, at: later });
}

/** Lists deliveries, by default of organization 1, and returns the numbers of their events. */
export async function numbers(
  { deliveries }: StoragePorts,
  query: Partial<Parameters<Deliveries['list']>[0]>,
): Promise<readonly number[]> {
  const found = await deliveries.list({ organizationId: 1, limit: 10, ...query });
  return found.map(numberOf);
}

export async function onlyDelivery(storage: TestStorage): Promise<Delivery> {
  const [delivery] = await storage.deliveries.list({ organizationId: 1, limit: 2 });
  if (delivery === undefined) throw new Error('There is no delivery');
  const found = await storage.deliveries.find({ organizationId: 1, deliveryId: delivery.id });
  if (found === null) throw new Error('The delivery is listed, but not found');
  const { attemptCount, ...recorded } = found;
  expectEqual({ ...recorded, attempts: found.attempts.map(withoutTexts) }, delivery);
  expectEqual(attemptCount, delivery.attempts.length);
  return delivery;
}
