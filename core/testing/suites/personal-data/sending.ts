import type { StoragePorts } from '../../../ports.js';
import type { RecordedDelivery } from '../../../webhooks/ports/deliveries.js';
import { type ContractTest, each, expectEqual, expectTrue, rows } from '../../expect.js';
import { noon } from '../../noon.js';
import { failedAttempt, finish } from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';
import { bodyOf, erase, later, recordOf } from './person.js';

const claimed = { limit: 1, perOrganization: 9, claim: 'a', at: noon };
const blankAttempt = { ...failedAttempt, request: null, response: null };

export function sendingTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('a delivery that waits is skipped, and is never sent', async (storage) => {
      const find = await finder(storage);
      await erase(storage);
      expectEqual(await find(), { state: 'skipped', isDropped: true, finishedAt: later, attempts: [] });
      await expectNeverSent(storage, find);
    }),

    test('a held delivery is skipped', async (storage) => {
      const find = await finder(storage);
      await storage.outbox.hold();
      await erase(storage);
      expectEqual(await find(), { state: 'skipped', isDropped: true, finishedAt: later, attempts: [] });
    }),

    test('a finished delivery keeps its state, without texts, and is never sent again', async (storage) => {
      const find = await finder(storage);
      const [{ deliveryId = 0 } = {}] = await storage.outbox.claim(claimed);
      await finish(storage, { deliveryId, state: 'failed', at: noon });
      await erase(storage);
      const expected = { state: 'failed', isDropped: false, finishedAt: noon, attempts: [blankAttempt] };
      expectEqual(await find(), expected);
      await expectNeverSent(storage, find);
      expectEqual(await find(), expected);
    }),

    test('a delivery that is under way is finished, without texts', async (storage) => {
      const find = await finder(storage);
      const [{ deliveryId = 0 } = {}] = await storage.outbox.claim(claimed);
      await erase(storage);
      expectEqual((await find()).state, 'sending');
      expectEqual(await finish(storage, { deliveryId, state: 'failed', at: later }), true);
      const expected = { state: 'failed', isDropped: false, finishedAt: later, attempts: [blankAttempt] };
      expectEqual(await find(), expected);
    }),

    test('a delivery that is cut off is dropped', async (storage) => {
      const find = await finder(storage);
      await storage.outbox.claim(claimed);
      await erase(storage);
      expectEqual(await storage.outbox.recoverStale({ olderThanMs: null, maxClaims: 3, at: later }), {
        ...{ again: 0, failed: 0 },
      });
      const { attempts, ...rest } = await find();
      expectEqual(rest, { state: 'skipped', isDropped: true, finishedAt: later });
      expectEqual(each(attempts, 'outcome'), ['interrupted']);
    }),

    test('the response of another delivery goes if it names the person, and only then', async (storage) => {
      const responses = ['canary@example.test', 'not-canary@example.test'].map((email) => ({
        ...{ headers: {}, body: `{"known":"${email}"}`, isTruncated: false },
      }));
      const deliveries = await storage.deliveries.list({ organizationId: 1, limit: 9 });
      const other = deliveries.find(({ body }) => body.includes('"number":9'));
      const key = { organizationId: 1, deliveryId: other?.id ?? 0 };
      for (const response of responses) {
        await storage.outbox.claim({ ...claimed, limit: 9 });
        await finish(storage, { deliveryId: key.deliveryId, state: 'failed', attempt: { response } });
        await storage.deliveries.redeliver(key);
      }
      await erase(storage);
      const found = await storage.deliveries.find(key);
      expectEqual(found?.body, other?.body);
      expectEqual(rows(found?.attempts, 'request', 'response'), [
        [failedAttempt.request, null],
        [failedAttempt.request, responses[1]],
      ]);
    }),
  ];
}

type Found = Pick<RecordedDelivery, 'state' | 'isDropped' | 'finishedAt' | 'attempts'>;

/** Returns a function that reads the delivery of the person's event, and checks its body. */
async function finder(storage: StoragePorts): Promise<() => Promise<Found>> {
  const [own] = (await recordOf(storage)).deliveries;
  const deliveryId = own?.id ?? 0;
  return async () => {
    const found = await storage.deliveries.find({ organizationId: 1, deliveryId });
    if (found === null) throw new Error('The delivery is gone');
    const { state, isDropped, finishedAt, attempts, body } = found;
    if (own?.body !== body) expectEqual(body, bodyOf(7, null));
    return { state, isDropped, finishedAt, attempts };
  };
}

async function expectNeverSent(storage: StoragePorts, find: () => Promise<Found>): Promise<void> {
  const { deliveries, outbox } = storage;
  const [{ id: deliveryId = 0 } = {}] = (await deliveries.list({ organizationId: 1, limit: 9 })).filter(
    ({ body }) => body.includes('"erased":true'),
  );
  const before = await find();
  for (const organizationId of [1, null])
    expectEqual(
      await deliveries.redeliver({ organizationId, deliveryId }, () => {
        throw new Error('An audit entry tells of a delivery that is not sent');
      }),
      'erased',
    );
  expectEqual(await deliveries.redeliver({ organizationId: 2, deliveryId }), false);
  const all = { organizationId: 1, states: ['delivered', 'failed', 'skipped', 'held'] } as const;
  expectEqual(await deliveries.count(all), 0);
  expectEqual(await deliveries.redeliverMatching(all), 0);
  expectEqual(await find(), before);
  const sent = await outbox.claim({ ...claimed, limit: 9 });
  expectTrue(!sent.some((delivery) => delivery.deliveryId === deliveryId), 'the delivery is sent');
}
