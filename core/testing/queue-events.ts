import type { Attempt, Delivery, RecordedAttempt } from '../webhooks/ports/deliveries.js';
import { anOrganization, aUser, testUuid } from './dataset.js';
import { expectEqual } from './expect.js';
import type { TestStorage } from './start-storage.js';
import { eventName, subscribe } from './subscribe.js';

export const noon = new Date('2026-11-20T12:00:00.000Z');

export const later = new Date('2026-11-20T12:05:00.000Z');

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

/** Registers users one after another, so that the outbox holds their events. */
export async function queue(
  storage: TestStorage,
  {
    organizationId,
    count,
    from = 0,
    at = noon,
  }: {
    readonly organizationId: number;
    readonly count: number;
    /** The number of events that the organization already has. */
    readonly from?: number;
    readonly at?: Date;
  },
): Promise<void> {
  const users = Array.from({ length: count }, (_, index) => aUser(organizationId * 1000 + from + index));
  await storage.load({ organizations: [anOrganization(organizationId)], users });
  await subscribe(storage, [organizationId]);
  for (const [index, user] of users.entries()) {
    const entry = {
      organizationId,
      user,
      uuid: null,
      role: 'member',
      idpId: null,
      invitationId: null,
    } as const;
    const id = eventId(organizationId, from + index);
    await storage.members.register({ ...entry, at }, () => [
      { id, name: eventName, organizationId, body: body(from + index), createdAt: at },
    ]);
  }
}

export async function claimOne(
  storage: TestStorage,
  claim: string,
  limit: number = plenty.limit,
): Promise<number> {
  const claimed = await storage.outbox.claim({ ...plenty, limit, claim, at: noon });
  expectEqual(claimed.length, 1);
  return claimed[0]?.deliveryId ?? 0;
}

/** Finishes the oldest pending deliveries with these states, in this order. With several organizations, finish all. */
export async function finishOldest(
  storage: TestStorage,
  states: readonly ('delivered' | 'failed' | 'skipped')[],
): Promise<void> {
  const limit = states.length;
  const claimed = await storage.outbox.claim({ ...plenty, limit, claim: 'finishes', at: noon });
  for (const [index, state] of states.entries()) {
    const deliveryId = claimed[index]?.deliveryId ?? 0;
    const attempt = state === 'skipped' ? null : failedAttempt;
    await storage.outbox.finish({ deliveryId, claim: 'finishes', state, attempt, at: later });
  }
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

export function eventId(organizationId: number, index: number): string {
  return testUuid(organizationId * 10_000 + index);
}

export function body(index: number): string {
  return `{"event":"${eventName}","text":"é \\" 😀 ${index}"}`;
}
