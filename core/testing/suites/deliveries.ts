import type { StoragePorts } from '../../ports.js';
import type { Attempt, Deliveries, DeliverySelection } from '../../webhooks/ports.js';
import { anOrganization, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { type StartedStorage, type StartStorage, storageTest } from '../start-storage.js';

const noon = new Date('2026-11-20T12:00:00.000Z');
const later = new Date('2026-11-20T12:05:00.000Z');
const plenty = { limit: 100, perOrganization: 100 };
const steps = [1, 2, 5];

/** The promises of `Outbox`, `Deliveries` and `Webhooks` about tests, pages of the log, and how a webhook fares. */
export function deliveriesSuite(start: StartStorage): readonly ContractTest[] {
  const test = (name: string, work: (started: StartedStorage) => Promise<void>) =>
    storageTest(start, name, async (started) => {
      await started.load({ organizations: [anOrganization(1), anOrganization(2)] });
      for (const organizationId of [1, 2]) {
        await started.storage.webhooks.configure(organizationId, () => ({
          url: 'https://partner.test/',
          enabled: true,
          events: ['user.registered'],
          encryptedSecret: 'sealed',
          createdAt: noon,
          updatedAt: noon,
        }));
      }
      await work(started);
    });
  return [
    ...testTests(test),
    ...listTests(test),
    ...heldTests(test),
    ...matchingTests(test),
    ...healthTests(test),
  ];
}

type MakeTest = (name: string, work: (started: StartedStorage) => Promise<void>) => ContractTest;

function testTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('Outbox: a test is under way from the beginning, and nobody else takes it', async ({ storage }) => {
      const { outbox, deliveries } = storage;
      const claimed = await outbox.startTest({ event: event(1, 1), claim: 'mine', at: later });
      const deliveryId = claimed?.deliveryId ?? 0;
      const { id, name, organizationId, body } = event(1, 1);
      const shown = { organizationId, eventId: id, eventName: name, body, isTest: true };
      expectEqual(claimed, { deliveryId, claim: 'mine', ...shown });
      const rest = { createdAt: noon, finishedAt: null, isDropped: false, attempts: [] };
      expectEqual(await deliveries.find({ organizationId: 1, deliveryId }), {
        id: deliveryId,
        ...shown,
        state: 'sending',
        ...rest,
      });
      expectEqual(await outbox.claim({ ...plenty, claim: 'other', at: later }), []);
      expectEqual(await finish(storage, { deliveryId, claim: 'other', state: 'failed' }), false);
      expectEqual(await finish(storage, { deliveryId, claim: 'mine', state: 'delivered' }), true);
      expectEqual((await deliveries.find({ organizationId: 1, deliveryId }))?.attempts, [attempt]);
    }),

    test('Outbox: of an organization one test is under way at a time, of 20 asked for at once as well', async ({
      storage,
    }) => {
      const startTest = (organizationId: number, number: number) =>
        storage.outbox.startTest({ event: event(organizationId, number), claim: 'a', at: noon });
      const started = await atOnce(20, (index) => startTest(1, index));
      const [mine, ...more] = started.filter((delivery) => delivery !== null);
      expectEqual(more, []);
      expectEqual((await storage.deliveries.list({ organizationId: 1, limit: 30 })).length, 1);
      expectEqual((await startTest(2, 1))?.organizationId, 2);

      await finish(storage, { deliveryId: mine?.deliveryId ?? 0, claim: 'a', state: 'failed' });
      expectEqual((await startTest(1, 50))?.eventId, event(1, 50).id);
    }),

    test('Outbox: a test that a crash interrupted is recovered like any other delivery, and is still a test', async ({
      storage,
    }) => {
      const { outbox } = storage;
      await outbox.startTest({ event: event(1, 1), claim: 'a', at: noon });
      expectEqual(await outbox.recoverStale({ olderThanMs: null, maxClaims: 3, at: later }), {
        again: 1,
        failed: 0,
      });
      const again = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(
        again.map(({ eventId, isTest }) => [eventId, isTest]),
        [[event(1, 1).id, true]],
      );
    }),

    test('Deliveries: a failed test is sent again by itself only, not with all that failed', async ({
      storage,
    }) => {
      const { deliveries } = storage;
      const deliveryId = await ended(storage, { number: 1, state: 'failed', isTest: true });
      expectEqual(
        await deliveries.redeliverMatching({ organizationId: 1, states: ['failed'], since: noon }),
        0,
      );
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await deliveries.find({ organizationId: 1, deliveryId }))?.state, 'pending');
    }),
  ];
}

function listTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('Deliveries: list keeps to tests or to the others', async ({ storage }) => {
      await ended(storage, { number: 1, state: 'failed' });
      await ended(storage, { number: 2, state: 'failed', isTest: true });
      expectEqual(await numbers(storage, { isTest: true }), [2]);
      expectEqual(await numbers(storage, { isTest: false }), [1]);
      expectEqual(await numbers(storage, {}), [2, 1]);
    }),

    test('Deliveries: list has one event by its id, in its own organization only', async ({ storage }) => {
      await ended(storage, { number: 1, state: 'failed' });
      await ended(storage, { number: 2, state: 'failed' });
      expectEqual(await numbers(storage, { eventId: event(1, 1).id }), [1]);
      expectEqual(await numbers(storage, { eventId: event(1, 9).id }), []);
      expectEqual(await numbers(storage, { eventId: event(1, 1).id, organizationId: 2 }), []);
      expectEqual(await numbers(storage, { eventId: event(1, 1).id, state: 'delivered' }), []);
    }),

    test('Deliveries: list until a moment holds what was made before it', async ({ storage }) => {
      await ended(storage, { number: 1, state: 'failed' });
      await ended(storage, { number: 2, state: 'failed', at: later });
      expectEqual(await numbers(storage, { until: later }), [1]);
      expectEqual(await numbers(storage, { until: new Date(later.getTime() + 1) }), [2, 1]);
      expectEqual(await numbers(storage, { since: noon, until: noon }), []);
    }),

    test('Deliveries: pages hold each once, also those of one moment, and what is made meanwhile moves nothing', async ({
      storage,
    }) => {
      for (let number = 1; number <= 7; number += 1)
        await ended(storage, { number, state: 'delivered', at: number > 5 ? later : noon });
      const seen: number[] = [];
      let olderThan: Parameters<Deliveries['list']>[0]['olderThan'];
      for (let page = 0; page < 4; page += 1) {
        const found = await storage.deliveries.list({ organizationId: 1, olderThan, limit: 2 });
        seen.push(...found.map(({ body }) => Number(body)));
        olderThan = found.at(-1) ?? olderThan;
        if (page === 0) await ended(storage, { number: 8, state: 'delivered', at: later });
      }
      expectEqual(seen, [7, 6, 5, 4, 3, 2, 1]);
      expectEqual(await numbers(storage, { olderThan: { id: 1, createdAt: new Date(0) } }), []);
    }),
  ];
}

function heldTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('Outbox: hold keeps what is pending or under way from being sent, and records no attempt', async ({
      storage,
    }) => {
      const { outbox, deliveries } = storage;
      await ended(storage, { number: 1, state: 'failed' });
      const underWay = await queued(storage, { number: 2 });
      await registered(storage, { number: 3 });
      expectEqual(await outbox.hold(), 2);
      const found = await deliveries.list({ organizationId: 1, state: 'held', limit: 9 });
      expectEqual(
        found.map(({ body, state, finishedAt, attempts }) => [body, state, finishedAt, attempts]),
        [
          ['3', 'held', null, []],
          ['2', 'held', null, []],
        ],
      );
      expectEqual(await numbers(storage, { state: 'failed' }), [1]);
      expectEqual(await outbox.claim({ ...plenty, claim: 'b', at: later }), []);
      expectEqual(await outbox.recoverStale({ olderThanMs: null, maxClaims: 3, at: later }), {
        again: 0,
        failed: 0,
      });
      expectEqual(await finish(storage, { deliveryId: underWay, claim: 'a', state: 'delivered' }), false);
      expectEqual(await outbox.hold(), 0);
    }),

    test('Deliveries: a held one is sent when somebody asks for it, by itself or with all that are held', async ({
      storage,
    }) => {
      const { outbox, deliveries } = storage;
      const deliveryId = await queued(storage, { number: 1 });
      await registered(storage, { number: 2 });
      await outbox.hold();
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual(await numbers(storage, { state: 'pending' }), [1]);
      const held = { organizationId: 1, states: ['held'] } as const;
      expectEqual(await deliveries.redeliverMatching(held), 1);
      const claimed = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(
        claimed.map(({ body }) => body),
        ['1', '2'],
      );
    }),

    test('Deliveries: dropHeld ends as skipped those that are held in a time, and says so of each', async ({
      storage,
    }) => {
      const { outbox, deliveries } = storage;
      await ended(storage, { number: 1, state: 'skipped' });
      await queued(storage, { number: 2 });
      await registered(storage, { number: 3, at: later });
      await outbox.hold();
      const told: unknown[] = [];
      const buildEntries = (facts: unknown) => {
        told.push(facts);
        return [];
      };
      expectEqual(await deliveries.dropHeld({ organizationId: 2, at: later }, buildEntries), 0);
      expectEqual(await deliveries.dropHeld({ organizationId: 1, until: later, at: later }, buildEntries), 1);
      expectEqual(told, [{ organizationId: 1, count: 1 }]);
      const shown = await deliveries.list({ organizationId: 1, limit: 9 });
      expectEqual(
        shown.map(({ body, state, finishedAt, isDropped }) => [body, state, finishedAt, isDropped]),
        [
          ['3', 'held', null, false],
          ['2', 'skipped', later, true],
          ['1', 'skipped', later, false],
        ],
      );
      const deliveryId = shown[1]?.id ?? 0;
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await deliveries.find({ organizationId: 1, deliveryId }))?.isDropped, false);
    }),
  ];
}

/** Six deliveries of organization 1 that ended in different ways; the last attempt counts. */
async function manyEnds(storage: StoragePorts): Promise<void> {
  const { outbox, deliveries } = storage;
  const again = await ended(storage, { number: 1, state: 'failed', attempt: { status: 503 } });
  await ended(storage, { number: 2, state: 'failed', attempt: { status: 404, reason: 'answered 404' } });
  const refused = { phase: 'connect', status: null, reason: 'connection 100%_refused' } as const;
  await ended(storage, { number: 3, state: 'failed', at: later, attempt: refused });
  await ended(storage, { number: 4, state: 'skipped' });
  await ended(storage, { number: 5, state: 'delivered', attempt: { status: 200, reason: 'answered 200' } });
  await ended(storage, { number: 6, state: 'failed', isTest: true });
  await queued(storage, { number: 7 });
  await outbox.recoverStale({ olderThanMs: null, maxClaims: 1, at: later });
  await deliveries.redeliver({ organizationId: 1, deliveryId: again });
  await outbox.claim({ ...plenty, claim: 'a', at: noon });
  await finish(storage, { deliveryId: again, claim: 'a', state: 'failed', attempt: { status: 500 } });
}

const selections: readonly (readonly [
  asked: Omit<DeliverySelection, 'organizationId'>,
  numbers: readonly number[],
])[] = [
  [{ states: ['failed'] }, [1, 2, 3, 7]],
  [{ states: ['failed', 'skipped', 'delivered', 'held'] }, [1, 2, 3, 4, 5, 7]],
  [{ states: [] }, []],
  [{ states: ['delivered'] }, [5]],
  [{ states: ['failed'], since: later }, [3]],
  [{ states: ['failed'], until: later }, [1, 2, 7]],
  [{ states: ['failed'], phase: 'connect' }, [3]],
  [{ states: ['failed'], status: 500 }, [1]],
  [{ states: ['failed'], status: 503 }, []],
  [{ states: ['failed', 'skipped'], reason: 'ANSWERED 4' }, [2]],
  [{ states: ['failed'], reason: 'Interrupted' }, [7]],
  [{ states: ['failed'], reason: 'cut off' }, [7]],
  [{ states: ['failed'], reason: '0%_R' }, [3]],
  [{ states: ['failed'], reason: '4_4' }, []],
  [{ states: ['failed'], reason: 'answered', phase: 'answer', status: 404 }, [2]],
];

function matchingTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('Deliveries: count and redeliverMatching choose by state, time and the last attempt, tests excepted', async ({
      storage,
    }) => {
      const { deliveries } = storage;
      await manyEnds(storage);
      for (const [asked, chosen] of selections) {
        expectEqual([asked, await deliveries.count({ organizationId: 1, ...asked })], [asked, chosen.length]);
        expectEqual(await deliveries.count({ organizationId: 2, ...asked }), 0);
        expectEqual(await deliveries.count({ organizationId: null, ...asked }), chosen.length);
      }
      expectEqual(
        await deliveries.redeliverMatching({ organizationId: 2, states: ['failed'], phase: 'connect' }),
        0,
      );
      expectEqual(
        await deliveries.redeliverMatching({ organizationId: 1, states: ['failed'], phase: 'connect' }),
        1,
      );
      expectEqual(await numbers(storage, { state: 'pending' }), [3]);
    }),
  ];
}

function healthTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('Webhooks: health counts the failures in a row and since when, until one is delivered', async ({
      storage,
    }) => {
      const { webhooks } = storage;
      const none = { failuresInRow: 0, failingSince: null, lastDeliveredAt: null };
      expectEqual(await webhooks.health(1), none);
      expectEqual(await webhooks.health(99), none);
      await ended(storage, { number: 1, state: 'failed', finishedAt: noon });
      await ended(storage, { number: 2, state: 'failed', finishedAt: later });
      expectEqual(await webhooks.health(1), { ...none, failuresInRow: 2, failingSince: noon });
      expectEqual(await webhooks.health(2), none);

      await ended(storage, { number: 3, state: 'delivered', finishedAt: later });
      expectEqual(await webhooks.health(1), { ...none, lastDeliveredAt: later });
      await ended(storage, { number: 4, state: 'failed', finishedAt: later });
      expectEqual(await webhooks.health(1), {
        failuresInRow: 1,
        failingSince: later,
        lastDeliveredAt: later,
      });
    }),

    test('Webhooks: tests, skipped and cut-off deliveries do not count, nor does a claim that was lost', async ({
      storage,
    }) => {
      const { webhooks, outbox } = storage;
      await ended(storage, { number: 1, state: 'failed', finishedAt: noon });
      const health = await webhooks.health(1);
      await ended(storage, { number: 2, state: 'failed', isTest: true });
      await ended(storage, { number: 3, state: 'delivered', isTest: true });
      await ended(storage, { number: 4, state: 'skipped' });
      const deliveryId = await queued(storage, { number: 5 });
      await outbox.recoverStale({ olderThanMs: null, maxClaims: 1, at: later });
      await finish(storage, { deliveryId, claim: 'a', state: 'failed' });
      expectEqual(await webhooks.health(1), health);
    }),

    test('Webhooks: a change of the configuration leaves the health as it is', async ({ storage }) => {
      await ended(storage, { number: 1, state: 'failed', finishedAt: noon });
      await storage.webhooks.configure(1, (current) => {
        if (current === null) throw new Error('There is no webhook');
        const { id, organizationId, ...settings } = current;
        return { ...settings, url: 'https://moved.test/' };
      });
      expectEqual((await storage.webhooks.health(1)).failuresInRow, 1);
    }),

    test('Webhooks: of 20 failures and looks at once none is lost, and each step is noticed once', async ({
      storage,
    }) => {
      const ids: number[] = [];
      for (let number = 0; number < 20; number += 1) ids.push(await queued(storage, { number }));
      const notices = await atOnce(20, async (index) => {
        await finish(storage, { deliveryId: ids[index] ?? 0, claim: 'a', state: 'failed' });
        return storage.webhooks.takeFailureNotice({ organizationId: 1, steps: [20] });
      });
      expectEqual((await storage.webhooks.health(1)).failuresInRow, 20);
      expectEqual(notices.filter((notice) => notice !== null).length, 1);
    }),

    test('Webhooks: a notice is given at each step and not between, and begins anew after a success', async ({
      storage,
    }) => {
      const { webhooks } = storage;
      const noticed = async (number: number, state: 'failed' | 'delivered') => {
        await ended(storage, { number, state });
        const notice = await webhooks.takeFailureNotice({ organizationId: 1, steps });
        expectEqual(await webhooks.takeFailureNotice({ organizationId: 1, steps }), null);
        return notice?.failuresInRow ?? 0;
      };
      const seen: number[] = [];
      for (let number = 1; number <= 7; number += 1) seen.push(await noticed(number, 'failed'));
      expectEqual(seen, [1, 2, 0, 0, 5, 0, 0]);
      expectEqual(await noticed(8, 'delivered'), 0);
      expectEqual(await noticed(9, 'failed'), 1);
      expectEqual(await webhooks.takeFailureNotice({ organizationId: 1, steps: [] }), null);
      expectEqual(await webhooks.takeFailureNotice({ organizationId: 2, steps }), null);
    }),

    test('Webhooks: a notice that was missed is made up for by the largest step', async ({ storage }) => {
      const { webhooks } = storage;
      for (let number = 1; number <= 6; number += 1) await ended(storage, { number, state: 'failed' });
      const take = () => webhooks.takeFailureNotice({ organizationId: 1, steps });
      expectEqual([(await take())?.failuresInRow, await take()], [6, null]);
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

function event(organizationId: number, number: number, createdAt = noon) {
  const id = testUuid(organizationId * 10_000 + number);
  return { id, name: 'user.registered', organizationId, body: String(number), createdAt } as const;
}

interface Queued {
  readonly number: number;
  readonly at?: Date;
}

/** Registers a user of organization 1 and claims the event of it, as `a`; gives the delivery's id. */
async function queued(storage: StoragePorts, what: Queued): Promise<number> {
  await registered(storage, what);
  const [claimed] = await storage.outbox.claim({ ...plenty, claim: 'a', at: noon });
  return claimed?.deliveryId ?? 0;
}

/** Registers a user of organization 1, whose event waits. */
async function registered({ members }: StoragePorts, { number, at = noon }: Queued): Promise<void> {
  const user = {
    uuid: testUuid(number + 500),
    email: `person-${number}@example.test`,
    firstName: 'New',
    lastName: 'Person',
    passwordHash: null,
    createdAt: at,
  };
  const entry = { organizationId: 1, user, uuid: null, idpId: null, invitationId: null, at } as const;
  await members.register({ ...entry, role: 'member' }, () => event(1, number, at));
}

interface Ended extends Queued {
  readonly state: 'delivered' | 'failed' | 'skipped';
  readonly isTest?: boolean;
  readonly finishedAt?: Date;
  readonly attempt?: Partial<Attempt>;
}

/** A delivery of organization 1 that has come to this end; gives its id. */
async function ended(
  storage: StoragePorts,
  { number, state, at = noon, isTest = false, finishedAt, ...rest }: Ended,
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

async function finish(
  { outbox }: StoragePorts,
  result: {
    readonly deliveryId: number;
    readonly claim: string;
    readonly state: Ended['state'];
    readonly at?: Date;
    readonly attempt?: Partial<Attempt>;
  },
): Promise<boolean> {
  const made = result.state === 'skipped' ? null : { ...attempt, ...result.attempt };
  return outbox.finish({ at: later, ...result, attempt: made });
}

/** The numbers of what is listed of organization 1, or another. */
async function numbers(
  { deliveries }: StoragePorts,
  query: Partial<Parameters<Deliveries['list']>[0]>,
): Promise<readonly number[]> {
  const found = await deliveries.list({ organizationId: 1, limit: 10, ...query });
  return found.map(({ body }) => Number(body));
}
