import type { Attempt, Delivery } from '../../webhooks/ports.js';
import { anOrganization, aUser, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectTrue } from '../expect.js';
import { type StartedStorage, type StartStorage, storageTest } from '../start-storage.js';

const noon = new Date('2026-11-20T12:00:00.000Z');
const later = new Date('2026-11-20T12:05:00.000Z');
const plenty = { limit: 100, perOrganization: 100 };

/** The promises of `Outbox` and `Deliveries`. */
export function outboxSuite(start: StartStorage): readonly ContractTest[] {
  const test = (name: string, work: (started: StartedStorage) => Promise<void>) =>
    storageTest(start, name, work);
  return [
    test('Outbox: claim takes what is pending, the oldest first, and only once', async (started) => {
      await queue(started, { organizationId: 1, count: 3 });
      const { outbox } = started.storage;
      const first = await outbox.claim({ limit: 2, perOrganization: 100, claim: 'a', at: noon });
      expectEqual(
        first.map(({ eventId }) => eventId),
        [eventId(1, 0), eventId(1, 1)],
      );
      expectEqual(first[0], {
        deliveryId: first[0]?.deliveryId,
        claim: 'a',
        organizationId: 1,
        eventId: eventId(1, 0),
        eventName: 'user.registered',
        body: body(0),
        isTest: false,
      });
      const second = await outbox.claim({ ...plenty, claim: 'b', at: noon });
      expectEqual(
        second.map((delivery) => delivery.eventId),
        [eventId(1, 2)],
      );
      expectEqual(await outbox.claim({ ...plenty, claim: 'c', at: noon }), []);
    }),

    test('Outbox: no delivery is taken by two of 20 callers, and none is left', async (started) => {
      await queue(started, { organizationId: 1, count: 30 });
      const claims = await atOnce(20, (index) =>
        started.storage.outbox.claim({ limit: 3, perOrganization: 100, claim: `claim ${index}`, at: noon }),
      );
      const taken = claims.flat().map(({ deliveryId }) => deliveryId);
      expectEqual(taken.length, 30);
      expectEqual(new Set(taken).size, 30);
      expectTrue(
        claims.every((claimed) => claimed.length <= 3),
        'a caller got more than its limit',
      );
    }),

    test('Outbox: of one organization no more than perOrganization are under way', async (started) => {
      await queue(started, { organizationId: 1, count: 10 });
      await queue(started, { organizationId: 2, count: 2 });
      const { outbox } = started.storage;
      const first = await outbox.claim({ limit: 100, perOrganization: 4, claim: 'a', at: noon });
      expectEqual(first.map(({ organizationId }) => organizationId).sort(), [1, 1, 1, 1, 2, 2]);
      expectEqual(await outbox.claim({ limit: 100, perOrganization: 4, claim: 'b', at: noon }), []);

      const done = first.find(({ organizationId }) => organizationId === 1);
      await outbox.finish({
        deliveryId: done?.deliveryId ?? 0,
        claim: 'a',
        state: 'failed',
        attempt,
        at: later,
      });
      const next = await outbox.claim({ limit: 100, perOrganization: 4, claim: 'c', at: noon });
      expectEqual(
        next.map((delivery) => delivery.eventId),
        [eventId(1, 4)],
      );
    }),

    test('Outbox: 20 callers at once with 50 organizations keep to perOrganization, and take none twice', async (started) => {
      for (let organizationId = 1; organizationId <= 50; organizationId += 1)
        await queue(started, { organizationId, count: 3 });
      const { outbox } = started.storage;
      const claims = await atOnce(20, (index) =>
        outbox.claim({ limit: 8, perOrganization: 2, claim: `claim ${index}`, at: noon }),
      );
      const rest = await outbox.claim({ ...plenty, perOrganization: 2, claim: 'rest', at: noon });
      const taken = [...claims.flat(), ...rest];
      const counts = new Map<number, number>();
      for (const { organizationId: id } of taken) counts.set(id, (counts.get(id) ?? 0) + 1);
      expectEqual([taken.length, counts.size], [100, 50]);
      expectEqual(new Set(taken.map(({ deliveryId }) => deliveryId)).size, 100);
      expectTrue(
        [...counts.values()].every((count) => count === 2),
        'an organization has more than two',
      );
    }),

    test('Outbox: a long queue whose deliveries do not end holds up nobody else, and each has its turn', async (started) => {
      await queue(started, { organizationId: 1, count: 20 });
      for (let organizationId = 2; organizationId <= 13; organizationId += 1)
        await queue(started, { organizationId, count: 2 });
      const { outbox } = started.storage;
      const delivered: number[] = [];
      let stuck = 0;
      for (let round = 0; round < 20; round += 1) {
        const claim = `claim ${round}`;
        const claimed = await outbox.claim({ limit: 2, perOrganization: 4, claim, at: noon });
        for (const { deliveryId, organizationId } of claimed) {
          if (organizationId === 1) stuck += 1;
          else {
            delivered.push(organizationId);
            await outbox.finish({ deliveryId, claim, state: 'delivered', attempt, at: later });
          }
        }
      }
      expectEqual([stuck, delivered.length, new Set(delivered).size], [4, 24, 12]);
    }),

    test('Outbox: a delivery asked for again is claimed even after later ones, and so is a recovered one', async (started) => {
      await queue(started, { organizationId: 1, count: 3 });
      const { outbox, deliveries } = started.storage;
      const claimed = await outbox.claim({ ...plenty, claim: 'a', at: noon });
      const [first, second] = claimed.map(({ deliveryId }) => deliveryId);
      if (first === undefined || second === undefined) throw new Error('nothing was claimed');
      await outbox.finish({ deliveryId: first, claim: 'a', state: 'failed', attempt, at: later });
      await deliveries.redeliver({ organizationId: 1, deliveryId: first });
      const again = await outbox.claim({ ...plenty, claim: 'b', at: noon });
      expectEqual(
        again.map(({ deliveryId }) => deliveryId),
        [first],
      );
      expectEqual(await outbox.recoverStale({ olderThanMs: null, maxClaims: 3, at: later }), {
        again: 3,
        failed: 0,
      });
      const recovered = await outbox.claim({ ...plenty, claim: 'c', at: noon });
      expectEqual(
        recovered.map(({ deliveryId }) => deliveryId),
        claimed.map(({ deliveryId }) => deliveryId),
      );
    }),

    test('Outbox: finish writes the state and the attempt while the claim holds, and not after', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const { outbox } = started.storage;
      const deliveryId = await claimOne(started, 'a');
      const result = { deliveryId, state: 'delivered', attempt, at: later } as const;
      expectEqual(await outbox.finish({ ...result, claim: 'other' }), false);
      expectEqual(await outbox.finish({ ...result, claim: 'a' }), true);
      expectEqual(await outbox.finish({ ...result, claim: 'a' }), false);
      expectEqual(await onlyDelivery(started), {
        id: deliveryId,
        organizationId: 1,
        eventId: eventId(1, 0),
        eventName: 'user.registered',
        body: body(0),
        isTest: false,
        state: 'delivered',
        createdAt: noon,
        finishedAt: later,
        isDropped: false,
        attempts: [attempt],
      });
    }),

    test('Outbox: a skipped delivery is final without an attempt', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const deliveryId = await claimOne(started, 'a');
      await started.storage.outbox.finish({
        deliveryId,
        claim: 'a',
        state: 'skipped',
        attempt: null,
        at: later,
      });
      const { state, attempts, finishedAt } = await onlyDelivery(started);
      expectEqual([state, attempts, finishedAt], ['skipped', [], later]);
    }),

    test('Outbox: recoverStale ends old claims, records the interruption and makes the deliveries pending again', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const { outbox } = started.storage;
      const deliveryId = await claimOne(started, 'a');
      const request = { maxClaims: 3, at: later };
      expectEqual(await outbox.recoverStale({ ...request, olderThanMs: 600_000 }), { again: 0, failed: 0 });
      expectEqual(await outbox.recoverStale({ ...request, olderThanMs: null }), { again: 1, failed: 0 });

      const { state, attempts } = await onlyDelivery(started);
      // It began when it was claimed, by a clock that may be the storage's own.
      const startedAt = attempts[0]?.startedAt ?? noon;
      expectEqual([state, attempts], ['pending', [{ ...interrupted, startedAt }]]);
      expectEqual(
        await outbox.finish({ deliveryId, claim: 'a', state: 'failed', attempt, at: later }),
        false,
      );
      const again = await claimOne(started, 'b');
      expectEqual(again, deliveryId);
    }),

    test('Outbox: the third claim that is cut off is the last', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const request = { olderThanMs: null, maxClaims: 3, at: later };
      const results = [];
      for (const claim of ['a', 'b', 'c']) {
        await claimOne(started, claim);
        results.push(await started.storage.outbox.recoverStale(request));
      }
      expectEqual(results, [
        { again: 1, failed: 0 },
        { again: 1, failed: 0 },
        { again: 0, failed: 1 },
      ]);
      const { state, attempts, finishedAt } = await onlyDelivery(started);
      expectEqual([state, attempts.length, finishedAt], ['failed', 3, later]);
    }),

    test('Deliveries: redeliver makes a final one pending with the same event, once', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const { outbox, deliveries } = started.storage;
      const deliveryId = await claimOne(started, 'a');
      await outbox.finish({ deliveryId, claim: 'a', state: 'failed', attempt, at: later });
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await onlyDelivery(started)).finishedAt, null);

      const claimed = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(
        claimed.map((delivery) => [delivery.eventId, delivery.body]),
        [[eventId(1, 0), body(0)]],
      );
      await outbox.finish({ deliveryId, claim: 'b', state: 'delivered', attempt, at: later });
      const { state, attempts } = await onlyDelivery(started);
      expectEqual([state, attempts.length], ['delivered', 2]);
    }),

    test('Deliveries: one under way stays so, and another organization’s is not found', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const { deliveries } = started.storage;
      const deliveryId = await claimOne(started, 'a');
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await onlyDelivery(started)).state, 'sending');
      expectEqual(await deliveries.redeliver({ organizationId: 2, deliveryId }), false);
      expectEqual(await deliveries.find({ organizationId: 2, deliveryId }), null);
      expectEqual(await deliveries.list({ organizationId: 2, limit: 10 }), []);
    }),

    test('Deliveries: list has the newest first, up to the limit', async (started) => {
      await queue(started, { organizationId: 1, count: 5 });
      const listed = await started.storage.deliveries.list({ organizationId: 1, limit: 3 });
      expectEqual(
        listed.map((delivery) => delivery.eventId),
        [eventId(1, 4), eventId(1, 3), eventId(1, 2)],
      );
    }),

    test('Deliveries: list of all organizations has theirs in one order', async (started) => {
      await queue(started, { organizationId: 1, count: 2 });
      await queue(started, { organizationId: 2, count: 1, at: later });
      await queue(started, { organizationId: 1, count: 1, from: 2, at: later });
      const listed = await started.storage.deliveries.list({ organizationId: null, limit: 10 });
      expectEqual(
        listed.map((delivery) => delivery.eventId),
        [eventId(1, 2), eventId(2, 0), eventId(1, 1), eventId(1, 0)],
      );
    }),

    test('Deliveries: list keeps to a state', async (started) => {
      await queue(started, { organizationId: 1, count: 5 });
      await finishOldest(started, ['delivered', 'failed', 'skipped']);
      await claimOne(started, 'sends', 1);
      await queue(started, { organizationId: 2, count: 1 });
      const { deliveries } = started.storage;
      const idsOf = async (query: { organizationId: number | null; state: Delivery['state'] }) =>
        (await deliveries.list({ ...query, limit: 10 })).map((delivery) => delivery.eventId);
      for (const [index, state] of (
        ['delivered', 'failed', 'skipped', 'sending', 'pending'] as const
      ).entries()) {
        expectEqual(await idsOf({ organizationId: 1, state }), [eventId(1, index)]);
      }
      expectEqual(await idsOf({ organizationId: null, state: 'pending' }), [eventId(2, 0), eventId(1, 4)]);
    }),

    test('Deliveries: list since a moment holds what was made at that moment, and nothing before', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      await queue(started, { organizationId: 1, count: 1, from: 1, at: later });
      const { deliveries } = started.storage;
      const since = async (moment: Date, organizationId: number | null) =>
        (await deliveries.list({ organizationId, since: moment, limit: 10 })).map((one) => one.eventId);
      for (const organizationId of [1, null]) {
        expectEqual(await since(noon, organizationId), [eventId(1, 1), eventId(1, 0)]);
        expectEqual(await since(new Date(noon.getTime() + 1), organizationId), [eventId(1, 1)]);
        expectEqual(await since(new Date(later.getTime() + 1), organizationId), []);
      }
    }),

    test('Deliveries: redeliver for no organization finds anybody’s', async (started) => {
      await queue(started, { organizationId: 2, count: 1 });
      await finishOldest(started, ['failed']);
      const { deliveries } = started.storage;
      const [delivery] = await deliveries.list({ organizationId: 2, limit: 1 });
      const deliveryId = delivery?.id ?? 0;
      expectEqual(await deliveries.redeliver({ organizationId: null, deliveryId: deliveryId + 1 }), false);
      expectEqual(await deliveries.redeliver({ organizationId: null, deliveryId }), true);
      expectEqual((await deliveries.find({ organizationId: 2, deliveryId }))?.state, 'pending');
    }),

    test('Deliveries: redeliverMatching makes the failed ones since a moment pending, and says how many', async (started) => {
      await queue(started, { organizationId: 1, count: 2 });
      await queue(started, { organizationId: 1, count: 4, from: 2, at: later });
      await queue(started, { organizationId: 2, count: 1, at: later });
      await finishOldest(started, [
        'delivered',
        'failed',
        'failed',
        'failed',
        'skipped',
        'delivered',
        'failed',
      ]);
      const { deliveries } = started.storage;
      const states = async () =>
        Object.fromEntries(
          (await deliveries.list({ organizationId: null, limit: 10 })).map(
            ({ eventId, state, finishedAt }) => [eventId, `${state} ${finishedAt !== null}`],
          ),
        );
      const before = await states();

      expectEqual(
        await deliveries.redeliverMatching({ organizationId: 1, states: ['failed'], since: later }),
        2,
      );
      const again = { [eventId(1, 2)]: 'pending false', [eventId(1, 3)]: 'pending false' };
      expectEqual(await states(), { ...before, ...again });

      expectEqual(
        await deliveries.redeliverMatching({ organizationId: null, states: ['failed'], since: noon }),
        2,
      );
      const rest = { [eventId(1, 1)]: 'pending false', [eventId(2, 0)]: 'pending false' };
      expectEqual(await states(), { ...before, ...again, ...rest });
      expectEqual(
        await deliveries.redeliverMatching({ organizationId: null, states: ['failed'], since: noon }),
        0,
      );
    }),

    test('Outbox: claim takes the organizations in turn, and of each the oldest first', async (started) => {
      await queue(started, { organizationId: 1, count: 3 });
      await queue(started, { organizationId: 2, count: 2 });
      const { outbox } = started.storage;
      const claimed: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        const request = { limit: 1, perOrganization: 5, claim: testUuid(60 + count), at: later };
        claimed.push(...(await outbox.claim(request)).map((delivery) => delivery.eventId));
      }
      const expected = [eventId(1, 0), eventId(2, 0), eventId(1, 1), eventId(2, 1), eventId(1, 2)];
      expectEqual(claimed, expected);
    }),

    test('Deliveries: redeliverMatching changes more than a thousand, and notes how many it changed in one entry', async (started) => {
      const count = 1_100;
      await queue(started, { organizationId: 1, count });
      for (let finished = 0; finished < count; finished += 100)
        await finishOldest(started, Array(100).fill('failed'));
      const { deliveries, auditTrail } = started.storage;
      const again = () =>
        deliveries.redeliverMatching(
          { organizationId: 1, states: ['failed'], since: noon },
          ({ organizationId, count: own }) => [
            {
              ...{ organizationId, at: noon, actor: { who: { kind: 'program' }, from: null } },
              ...{ action: 'deliveries-redelivered', subject: String(own) },
            },
          ],
        );
      expectEqual(await again(), count);
      expectEqual(await deliveries.count({ organizationId: 1, states: ['failed'] }), 0);
      expectEqual(await again(), 0);
      const { total, entries } = await auditTrail.list({ organizationId: 1, offset: 0, limit: 10 });
      expectEqual([total, entries[0]?.subject], [1, String(count)]);
    }),

    test('Deliveries: one that redeliverMatching asked for has all its claims again', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const { outbox, deliveries } = started.storage;
      const request = { olderThanMs: null, maxClaims: 1, at: later };
      await claimOne(started, 'a');
      expectEqual(await outbox.recoverStale(request), { again: 0, failed: 1 });
      expectEqual(
        await deliveries.redeliverMatching({ organizationId: 1, states: ['failed'], since: noon }),
        1,
      );
      await claimOne(started, 'b');
      expectEqual(await outbox.recoverStale({ ...request, maxClaims: 2 }), { again: 1, failed: 0 });
    }),
  ];
}

const attempt: Attempt = {
  startedAt: noon,
  duration: 321,
  outcome: 'failed',
  phase: 'answer',
  status: 500,
  reason: 'answered 500',
};

const interrupted: Omit<Attempt, 'startedAt'> = {
  duration: null,
  outcome: 'interrupted',
  phase: null,
  status: null,
  reason: 'cut off before an outcome was known',
};

/** Registers users so that the outbox holds events, one after another. */
async function queue(
  { storage, load }: StartedStorage,
  {
    organizationId,
    count,
    from = 0,
    at = noon,
  }: {
    readonly organizationId: number;
    readonly count: number;
    /** How many the organization has already. */
    readonly from?: number;
    readonly at?: Date;
  },
): Promise<void> {
  const users = Array.from({ length: count }, (_, index) => aUser(organizationId * 1000 + from + index));
  await load({ organizations: [anOrganization(organizationId)], users });
  for (const [index, user] of users.entries()) {
    const entry = {
      organizationId,
      user,
      uuid: null,
      role: 'member',
      idpId: null,
      invitationId: null,
    } as const;
    await storage.members.register({ ...entry, at }, () => ({
      id: eventId(organizationId, from + index),
      name: 'user.registered',
      organizationId,
      body: body(from + index),
      createdAt: at,
    }));
  }
}

async function claimOne(
  { storage }: StartedStorage,
  claim: string,
  limit: number = plenty.limit,
): Promise<number> {
  const claimed = await storage.outbox.claim({ ...plenty, limit, claim, at: noon });
  expectEqual(claimed.length, 1);
  return claimed[0]?.deliveryId ?? 0;
}

/** Gives the oldest pending deliveries these ends, in this order; of several organizations all of them. */
async function finishOldest(
  { storage }: StartedStorage,
  states: readonly ('delivered' | 'failed' | 'skipped')[],
): Promise<void> {
  const limit = states.length;
  const claimed = await storage.outbox.claim({ ...plenty, limit, claim: 'finishes', at: noon });
  for (const [index, state] of states.entries()) {
    const deliveryId = claimed[index]?.deliveryId ?? 0;
    const own = state === 'skipped' ? null : attempt;
    await storage.outbox.finish({ deliveryId, claim: 'finishes', state, attempt: own, at: later });
  }
}

async function onlyDelivery({ storage }: StartedStorage): Promise<Delivery> {
  const [delivery] = await storage.deliveries.list({ organizationId: 1, limit: 2 });
  if (delivery === undefined) throw new Error('There is no delivery');
  expectEqual(await storage.deliveries.find({ organizationId: 1, deliveryId: delivery.id }), delivery);
  return delivery;
}

function eventId(organizationId: number, index: number): string {
  return testUuid(organizationId * 10_000 + index);
}

function body(index: number): string {
  return `{"event":"user.registered","text":"é \\" 😀 ${index}"}`;
}
