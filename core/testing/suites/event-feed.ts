import type {
  EventFeed,
  FeedCursor,
  FeedPage,
  FeedQuery,
  RecordedEvent,
} from '../../webhooks/ports/event-feed.js';
import { anOrganization, aUser } from '../dataset.js';
import { type ContractTest, each, expectEqual, expectPassedOn, expectTrue, rows } from '../expect.js';
import { aNewMember } from '../new-member.js';
import { noon } from '../noon.js';
import { event, eventId, numberOf, registered } from '../queued-deliveries.js';
import { type MakeTest, type StartStorage, storageTests } from '../start-storage.js';
import { aWebhook, eventName } from '../subscribe.js';

/** The promises of `EventFeed`, and of journals about events. */
export function eventFeedSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'EventFeed', async (storage) => {
    await storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [aUser(1), aUser(2)],
    });
  });
  return [...recordingTests(test), ...pageTests(test), ...placeTests(test), ...concurrentTests(test)];
}

function recordingTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('every event is recorded as it is, and delivered if the webhook is enabled and subscribed', async (storage) => {
      const at = (number: number) => new Date(noon.getTime() + number);
      await registered(storage, { number: 1, at: at(1) });
      const webhook = aWebhook(noon);
      const settings = [webhook, { ...webhook, enabled: false }, { ...webhook, events: [] }, webhook];
      for (const [index, setting] of settings.entries()) {
        await storage.webhooks.configure(1, () => setting);
        await registered(storage, { number: 2 + index, at: at(2 + index) });
      }
      const { events } = await read(storage);
      expectEqual(
        events.map(({ position, ...recorded }) => recorded),
        [1, 2, 3, 4, 5].map((number) => event(1, number, at(number))),
      );
      const deliveries = await storage.deliveries.list({ organizationId: 1, limit: 9 });
      expectEqual(rows(deliveries, 'eventId', 'body', 'state'), [
        [eventId(1, 5), event(1, 5).body, 'pending'],
        [eventId(1, 2), event(1, 2).body, 'pending'],
      ]);
    }),

    test('a registration that fails or has no event records nothing', async (storage) => {
      const { members } = storage;
      const member = aNewMember({ id: 1 });
      await members.register(member);
      expectEqual(await members.register(member, () => [event(1, 1)]), 'already-member');
      await expectPassedOn((fail) => members.register(aNewMember({ id: 2 }), fail));
      expectEqual(numbersOf(await read(storage)), []);
    }),

    test('a feed has the events of its own organization only', async (storage) => {
      await registered(storage, { number: 1 });
      await registered(storage, { number: 2, organizationId: 2 });
      expectEqual(numbersOf(await read(storage)), [1]);
      expectEqual(numbersOf(await read(storage, { organizationId: 2 })), [2]);
      expectEqual(numbersOf(await read(storage, { organizationId: 99 })), []);
    }),
  ];
}

function pageTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('pages follow one another by `next`, in both orders', async (storage) => {
      for (const number of [1, 2, 3, 4, 5]) await registered(storage, { number });
      for (const [order, expected] of [
        ['asc', [1, 2, 3, 4, 5]],
        ['desc', [5, 4, 3, 2, 1]],
      ] as const) {
        const first = await read(storage, { order, limit: 2 });
        const second = await read(storage, { order, limit: 2, after: first.next });
        const third = await read(storage, { order, limit: 2, after: second.next });
        expectEqual([first, second, third].flatMap(numbersOf), expected);
        expectEqual(each([first, second, third], 'hasMore'), [true, true, false]);
        const rest = await read(storage, { order, limit: 2, after: third.next });
        expectEqual([rest.events, rest.hasMore], [[], false]);
        expectEqual(numbersOf(await read(storage, { order, limit: 5 })), expected);
        expectEqual((await read(storage, { order, limit: 5 })).hasMore, false);
      }
    }),

    test('positions ascend and never change, and a page of exactly the rest has no more', async (storage) => {
      for (const number of [1, 2, 3]) await registered(storage, { number });
      const { events } = await read(storage);
      const positions = events.map(({ position }) => position);
      expectTrue(
        positions.every((position, index) => position > (positions[index - 1] ?? 0)),
        `the positions are ${positions.join(', ')}`,
      );
      await registered(storage, { number: 4 });
      expectEqual((await read(storage)).events.slice(0, 3), events);
      const rest = await read(storage, { limit: 3, after: placeOf(events[0]) });
      expectEqual([numbersOf(rest), rest.hasMore], [[2, 3, 4], false]);
    }),

    test('a page can be limited to the events with one name', async (storage) => {
      for (const number of [1, 2, 3]) await registered(storage, { number });
      const page = await read(storage, { name: eventName, limit: 2 });
      expectEqual([numbersOf(page), page.hasMore], [[1, 2], true]);
    }),

    test('without events, `next` is the place to ask again', async (storage) => {
      const empty = await read(storage);
      expectEqual([empty.events, empty.hasMore], [[], false]);
      expectEqual((await read(storage, { after: empty.next })).next, empty.next);
      await registered(storage, { number: 1 });
      const first = await read(storage, { after: empty.next });
      expectEqual(numbersOf(first), [1]);
      const second = await read(storage, { after: first.next });
      expectEqual([second.events, second.next], [[], first.next]);
      await registered(storage, { number: 2 });
      expectEqual(numbersOf(await read(storage, { after: second.next })), [2]);
    }),

    test('`next` of the newest event leads to everything that happens from now on', async (storage) => {
      for (const number of [1, 2]) await registered(storage, { number });
      const newest = await read(storage, { order: 'desc', limit: 1 });
      expectEqual(numbersOf(newest), [2]);
      await registered(storage, { number: 3 });
      expectEqual(numbersOf(await read(storage, { after: newest.next })), [3]);
      const none = await read(storage, { organizationId: 2, order: 'desc', limit: 1 });
      await registered(storage, { number: 4, organizationId: 2 });
      expectEqual(numbersOf(await read(storage, { organizationId: 2, after: none.next })), [4]);
    }),
  ];
}

function placeTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('a place after the end, or with another event, is expired, and `oldest` leads to every event', async (storage) => {
      for (const number of [1, 2]) await registered(storage, { number });
      const { next } = await read(storage);
      for (const after of [
        { position: next.position + 1, eventId: eventId(1, 3) },
        { position: 2 ** 53 - 1, eventId: null },
        { position: next.position, eventId: eventId(1, 1) },
      ]) {
        for (const order of ['asc', 'desc'] as const) {
          const expired = await storage.eventFeed.read({ organizationId: 1, after, order, limit: 9 });
          if (!('oldest' in expired)) throw new Error(`${JSON.stringify(after)} is read ${order}`);
          expectEqual(numbersOf(await read(storage, { after: expired.oldest })), [1, 2]);
        }
      }
      expectEqual(numbersOf(await read(storage, { after: { ...next, eventId: null } })), []);
    }),
  ];
}

function concurrentTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('readers during 50 registrations at once get each event once, in the same order', async (storage) => {
      const registrations = Array.from({ length: 50 }, (_, index) =>
        registered(storage, { number: index + 1 }),
      );
      const readAll = async (limit: number): Promise<readonly number[]> => {
        const seen: number[] = [];
        let after: FeedCursor | null = null;
        // A reader that never waits would keep a storage in the same process from writing.
        for (const registration of registrations) {
          await registration;
          let page: FeedPage;
          do {
            page = await read(storage, { after, limit });
            seen.push(...numbersOf(page));
            after = page.next;
          } while (page.hasMore);
        }
        return seen;
      };
      const [first = [], ...others] = await Promise.all([1, 7, 100].map(readAll));
      expectEqual(
        [...first].sort((one, other) => one - other),
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
      for (const other of others) expectEqual(other, first);
    }),
  ];
}

async function read(
  { eventFeed }: { readonly eventFeed: EventFeed },
  query: Partial<FeedQuery> = {},
): Promise<FeedPage> {
  const page = await eventFeed.read({ organizationId: 1, after: null, order: 'asc', limit: 100, ...query });
  if ('oldest' in page) throw new Error(`The place ${JSON.stringify(query.after)} is expired`);
  return page;
}

function numbersOf({ events }: FeedPage): readonly number[] {
  return events.map(numberOf);
}

function placeOf(event: RecordedEvent | undefined): FeedCursor | null {
  return event === undefined ? null : { position: event.position, eventId: event.id };
}
