import type { Organizations } from '../../access/ports/organizations.js';
import { anOrganization } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { later, minutes, noon } from '../noon.js';
import { recordingJournal } from '../recording-journal.js';
import { type StartStorage, storageTests } from '../start-storage.js';

const latest = minutes(10);
/** The generation of the first key that an organization gets at noon. */
const generation = noon.getTime() / 1000;
const unnamed = { lastDigits: null, name: null };

/** The promises of `Organizations`. */
export function organizationsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Organizations', ({ load }) =>
    load({ organizations: [anOrganization(1), anOrganization(2)] }),
  );
  return [
    test('byId returns a loaded organization, and null for an unknown id', async (storage) => {
      await storage.load({ organizations: [anOrganization(7, { name: 'Northwind', eap: true })] });
      expectEqual(await storage.organizations.byId(7), {
        id: 7,
        name: 'Northwind',
        eap: true,
        timeZone: null,
        accessKeyGeneration: 0,
        previousAccessKey: null,
      });
      expectEqual(await storage.organizations.byId(8), null);
      expectEqual(await storage.organizations.byId(Number.MAX_SAFE_INTEGER), null);
    }),

    test('create gives each organization a different id, and list returns all by id', async (storage) => {
      const { organizations } = storage;
      const before = await organizations.list();
      const made = await atOnce(5, (index) =>
        organizations.create({ name: `Org ${index}`, eap: index === 1 }),
      );
      const all = [...before, ...made].sort((one, other) => one.id - other.id);
      expectEqual(new Set(all.map(({ id }) => id)).size, 7);
      expectEqual(await organizations.list(), all);
    }),

    test('replaceAccessKey replaces the hash and raises the generation', async ({ organizations }) => {
      const first = await replaceKey(organizations, 'first');
      expectEqual(first?.accessKeyGeneration, generation);
      expectEqual((await organizations.byAccessKeyHash(['other', 'first']))?.id, 1);

      const second = await replaceKey(organizations, 'second');
      expectEqual(second?.accessKeyGeneration, generation + 1);
      expectEqual(await organizations.byAccessKeyHash(['first']), null);
      const holder = await organizations.byAccessKeyHash(['second']);
      expectEqual(holder?.accessKeyGeneration, generation + 1);
      expectEqual((await organizations.byId(2))?.accessKeyGeneration, 0);
    }),

    test('replaceAccessKey for an unknown organization returns null and stores nothing', async (storage) => {
      expectEqual(await replaceKey(storage.organizations, 'hash', { organizationId: 9 }), null);
      expectEqual(await storage.organizations.byAccessKeyHash(['hash']), null);
    }),

    test('byAccessKeyHash finds nothing without hashes', async (storage) => {
      expectEqual(await storage.organizations.byAccessKeyHash([]), null);
    }),

    test('byId and byAccessKeyHash answer each of many callers at once with its own organization and key', async (storage) => {
      const { organizations, load } = storage;
      const ids = Array.from({ length: 60 }, (_, index) => index + 1);
      await load({ organizations: ids.filter((id) => id % 3 !== 0).map((id) => anOrganization(id)) });
      const found = await atOnce(120, (index) => organizations.byId((index % 60) + 1));
      expectEqual(
        found.map((organization) => organization?.id ?? null),
        [...ids, ...ids].map((id) => (id % 3 === 0 ? null : id)),
      );

      const hashed = ids.filter((id) => id % 3 === 1);
      for (const organizationId of hashed)
        for (const key of ['old', 'new'])
          await replaceKey(organizations, `${key} ${organizationId}`, {
            organizationId,
            keepOldUntil: latest,
          });
      for (const key of ['old', 'new']) {
        const holders = await atOnce(60, (index) =>
          organizations.byAccessKeyHash(['nobody', `${key} ${index + 1}`]),
        );
        expectEqual(
          holders.map((holder) => [holder?.id ?? null, holder?.accessKeyHash ?? null]),
          ids.map((id) => (hashed.includes(id) ? [id, `${key} ${id}`] : [null, null])),
        );
      }
    }),

    test('byId and byAccessKeyHash see a key that was replaced before they are called, while others look it up', async (storage) => {
      const { organizations } = storage;
      for (let round = 1; round <= 10; round += 1) {
        const earlier = atOnce(5, () => organizations.byId(1));
        const hash = `hash ${round}`;
        const replaced = await replaceKey(organizations, hash);
        const [one, holder, old] = await Promise.all([
          organizations.byId(1),
          organizations.byAccessKeyHash([hash]),
          organizations.byAccessKeyHash([`hash ${round - 1}`]),
        ]);
        expectEqual(one?.accessKeyGeneration, replaced?.accessKeyGeneration);
        expectEqual([holder?.id, old], [1, null]);
        await earlier;
      }
    }),

    test('moveAccessKeyHash replaces only the stored hash, and leaves the key as it is', async (storage) => {
      const { organizations } = storage;
      await replaceKey(organizations, 'old');
      await organizations.touchAccessKey({ organizationId: 1, generation, at: later });
      const before = await organizations.byAccessKeyHash(['new', 'old']);
      expectEqual([before?.id, before?.accessKeyHash], [1, 'old']);
      const move = (organizationId: number) => ({ organizationId, from: 'old', to: 'new' });
      expectEqual(await organizations.moveAccessKeyHash(move(2)), false);
      const moves = await atOnce(20, () => organizations.moveAccessKeyHash(move(1)));
      expectEqual(moves.filter(Boolean).length, 1);
      expectEqual(await organizations.byAccessKeyHash(['old']), null);
      expectEqual(await organizations.byAccessKeyHash(['new']), { ...before, accessKeyHash: 'new' });
      expectEqual(await organizations.accessKey(1), {
        ...unnamed,
        createdAt: noon,
        usedAt: later,
        previous: null,
      });

      await replaceKey(organizations, 'next', { at: latest });
      expectEqual(await organizations.moveAccessKeyHash({ organizationId: 1, from: 'new', to: 'x' }), false);
      expectEqual((await organizations.byAccessKeyHash(['x', 'next']))?.accessKeyHash, 'next');
    }),

    test('the replaced key is kept until the given time, with its generation and last use', async (storage) => {
      const { organizations } = storage;
      const until = new Date('2026-11-21T12:00:00.123Z');
      const first = await replaceKey(organizations, 'first', { keepOldUntil: until });
      expectEqual(first?.previousAccessKey, null);
      await organizations.touchAccessKey({ organizationId: 1, generation, at: later });

      const replaced = await replaceKey(organizations, 'second', { keepOldUntil: until });
      expectEqual(replaced?.previousAccessKey, { generation, until });
      expectEqual(await organizations.byId(1), replaced);
      expectEqual((await organizations.list())[0], replaced);
      expectEqual(await organizations.byAccessKeyHash(['other', 'first']), {
        ...replaced,
        keyGeneration: generation,
        accessKeyUsedAt: later,
        accessKeyHash: 'first',
      });
      expectEqual(await organizations.byAccessKeyHash(['second']), {
        ...replaced,
        keyGeneration: generation + 1,
        accessKeyUsedAt: null,
        accessKeyHash: 'second',
      });
      expectEqual(await organizations.accessKey(1), {
        ...unnamed,
        createdAt: noon,
        usedAt: null,
        previous: { ...unnamed, until, usedAt: later },
      });
      expectEqual((await organizations.byId(2))?.previousAccessKey, null);
      await organizations.setTimeZone({ organizationId: 1, timeZone: 'UTC' });
      expectEqual((await organizations.byId(1))?.previousAccessKey, { generation, until });
    }),

    test('the next replacement removes a kept key, and keeps only the key before it', async (storage) => {
      const { organizations } = storage;
      await replaceKey(organizations, 'first');
      await replaceKey(organizations, 'second', { keepOldUntil: latest });
      const third = await replaceKey(organizations, 'third', { keepOldUntil: latest });
      expectEqual(third?.previousAccessKey, { generation: generation + 1, until: latest });
      expectEqual(await organizations.byAccessKeyHash(['first']), null);
      expectEqual((await organizations.byAccessKeyHash(['second']))?.keyGeneration, generation + 1);

      const fourth = await replaceKey(organizations, 'fourth');
      expectEqual(fourth?.previousAccessKey, null);
      expectEqual(await organizations.byAccessKeyHash(['second', 'third']), null);
      expectEqual((await organizations.accessKey(1))?.previous, null);
    }),

    test('of two organizations with the same hash, the one whose current key has it is found', async (storage) => {
      const { organizations, load } = storage;
      await load({ organizations: [anOrganization(3)] });
      for (const organizationId of [1, 3]) {
        await replaceKey(organizations, `old ${organizationId}`, { organizationId });
        await replaceKey(organizations, `new ${organizationId}`, { organizationId, keepOldUntil: later });
        await replaceKey(organizations, `old ${organizationId}`, { organizationId: 2 });
        expectEqual((await organizations.byAccessKeyHash([`old ${organizationId}`]))?.id, 2);
      }
    }),

    test('a kept key has its own last use and its own hash', async ({ organizations }) => {
      await replaceKey(organizations, 'first');
      await replaceKey(organizations, 'second', { keepOldUntil: latest });
      await organizations.touchAccessKey({ organizationId: 1, generation, at: latest });
      await organizations.touchAccessKey({ organizationId: 1, generation, at: later });
      await organizations.touchAccessKey({ organizationId: 1, generation: generation + 1, at: later });
      const previous = { ...unnamed, until: latest, usedAt: latest };
      const key = { ...unnamed, createdAt: noon, usedAt: later, previous };
      expectEqual(await organizations.accessKey(1), key);

      const move = { organizationId: 1, from: 'first', to: 'moved' };
      expectEqual((await atOnce(20, () => organizations.moveAccessKeyHash(move))).filter(Boolean).length, 1);
      expectEqual(await organizations.byAccessKeyHash(['first']), null);
      const moved = await organizations.byAccessKeyHash(['moved']);
      expectEqual([moved?.keyGeneration, moved?.accessKeyHash], [generation, 'moved']);
      expectEqual((await organizations.byAccessKeyHash(['second']))?.accessKeyHash, 'second');
      expectEqual(await organizations.accessKey(1), key);
    }),

    test('after 20 replacements at once, one key is current, each has raised the generation, and one was the first', async (storage) => {
      const { organizations } = storage;
      const seen: boolean[] = [];
      await atOnce(20, (index) =>
        replaceKey(organizations, `hash ${index}`, {}, ({ isFirst }) => {
          seen.push(isFirst);
          return [];
        }),
      );
      const found = await atOnce(20, (index) => organizations.byAccessKeyHash([`hash ${index}`]));
      expectEqual(found.filter(Boolean).length, 1);
      expectEqual((await organizations.byId(1))?.accessKeyGeneration, generation + 19);
      expectEqual(seen.sort(), [...Array(19).fill(false), true]);
    }),

    test('replaceAccessKey replaces only the generation that it names', async ({ organizations }) => {
      expectEqual(await replaceKey(organizations, 'first', { replaces: 1 }), null);
      expectEqual(await organizations.accessKey(1), null);
      const first = await replaceKey(organizations, 'first', { replaces: 0 });
      expectEqual(first?.accessKeyGeneration, generation);

      const { seen, journal } = recordingJournal();
      expectEqual(await replaceKey(organizations, 'again', { replaces: 0 }, journal), null);
      expectEqual([seen, await organizations.byAccessKeyHash(['again'])], [[], null]);
      expectEqual((await organizations.byAccessKeyHash(['first']))?.id, 1);
      const second = await replaceKey(organizations, 'second', { replaces: generation });
      expectEqual(second?.accessKeyGeneration, generation + 1);
    }),

    test('of 20 replacements of the same generation at once, one succeeds', async (storage) => {
      const { organizations } = storage;
      const answers = await atOnce(20, (index) =>
        replaceKey(organizations, `hash ${index}`, { replaces: 0 }),
      );
      expectEqual(answers.filter(Boolean).length, 1);
      const found = await atOnce(20, (index) => organizations.byAccessKeyHash([`hash ${index}`]));
      expectEqual(found.map(Boolean), answers.map(Boolean));
    }),

    test('accessKey returns when the current key was created and last used, or null if there is no key', async (storage) => {
      const { organizations } = storage;
      expectEqual(await organizations.accessKey(1), null);
      expectEqual(await organizations.accessKey(9), null);
      await replaceKey(organizations, 'first');
      await replaceKey(organizations, 'other', { organizationId: 2 });
      expectEqual(await organizations.accessKey(1), {
        ...unnamed,
        createdAt: noon,
        usedAt: null,
        previous: null,
      });
      expectEqual((await organizations.byAccessKeyHash(['first']))?.accessKeyUsedAt, null);

      await organizations.touchAccessKey({ organizationId: 1, generation, at: later });
      await organizations.touchAccessKey({ organizationId: 1, generation, at: noon });
      await organizations.touchAccessKey({ organizationId: 1, generation: generation - 1, at: latest });
      await organizations.touchAccessKey({ organizationId: 9, generation, at: latest });
      expectEqual(await organizations.accessKey(1), {
        ...unnamed,
        createdAt: noon,
        usedAt: later,
        previous: null,
      });
      expectEqual((await organizations.byAccessKeyHash(['first']))?.accessKeyUsedAt, later);
      expectEqual(await organizations.accessKey(2), {
        ...unnamed,
        createdAt: noon,
        usedAt: null,
        previous: null,
      });

      await replaceKey(organizations, 'second', { at: latest });
      expectEqual(await organizations.accessKey(1), {
        ...unnamed,
        createdAt: latest,
        usedAt: null,
        previous: null,
      });
      expectEqual((await organizations.byAccessKeyHash(['second']))?.accessKeyUsedAt, null);
    }),

    test('each of two keys has its last digits, and the new one the name of the one that it replaces', async (storage) => {
      const { organizations } = storage;
      await replaceKey(organizations, 'first', { lastDigits: '1111' });
      const named = { organizationId: 1, generation, name: 'Payroll' };
      expectEqual(await organizations.nameAccessKey(named), true);
      await replaceKey(organizations, 'second', { lastDigits: '2222', keepOldUntil: latest });
      const other = { ...named, generation: generation + 1, name: 'Payroll, new' };
      expectEqual((await organizations.accessKey(1))?.name, 'Payroll');
      expectEqual(await organizations.nameAccessKey(other), true);
      expectEqual(await organizations.accessKey(1), {
        ...{ createdAt: noon, usedAt: null, lastDigits: '2222', name: 'Payroll, new' },
        previous: { until: latest, usedAt: null, lastDigits: '1111', name: 'Payroll' },
      });
      await replaceKey(organizations, 'third', { keepOldUntil: latest });
      expectEqual(await organizations.accessKey(1), {
        ...{ createdAt: noon, usedAt: null, lastDigits: null, name: 'Payroll, new' },
        previous: { until: latest, usedAt: null, lastDigits: '2222', name: 'Payroll, new' },
      });
    }),

    test('nameAccessKey names the current key of the generation, tells the earlier name, and else changes nothing', async (storage) => {
      const { organizations } = storage;
      const { seen, journal } = recordingJournal();
      const name = (text: string | null, number = generation, organizationId = 1) =>
        organizations.nameAccessKey({ organizationId, generation: number, name: text }, journal);
      expectEqual(
        [await name('Payroll', 0), await name('Payroll'), await name('x', 0, 9)],
        [false, false, false],
      );
      for (const id of [1, 2]) await replaceKey(organizations, `key ${id}`, { organizationId: id });
      await replaceKey(organizations, 'other', { keepOldUntil: latest });
      expectEqual([await name('Payroll'), seen], [false, []]);
      for (const text of ['Payroll', 'Payroll', null]) expectEqual(await name(text, generation + 1), true);
      expectEqual(seen, [{ before: null }, { before: 'Payroll' }]);
      for (const text of hostileTexts) {
        await name(text, generation + 1);
        expectEqual((await organizations.accessKey(1))?.name, text);
      }
      expectEqual((await organizations.accessKey(1))?.previous?.name, null);
      expectEqual((await organizations.accessKey(2))?.name, null);
    }),

    test('setTimeZone sets and removes the time zone of one organization only', async (storage) => {
      const { organizations } = storage;
      const set = await organizations.setTimeZone({ organizationId: 1, timeZone: 'Europe/Berlin' });
      expectEqual(set, {
        ...(await organizations.byId(2)),
        id: 1,
        name: 'Organization 1',
        timeZone: 'Europe/Berlin',
      });
      expectEqual(await organizations.byId(1), set);
      expectEqual((await organizations.byId(2))?.timeZone, null);
      await organizations.setTimeZone({ organizationId: 1, timeZone: null });
      expectEqual((await organizations.byId(1))?.timeZone, null);
      for (const replaces of [undefined, null, 'UTC'])
        expectEqual(await organizations.setTimeZone({ organizationId: 9, timeZone: 'UTC', replaces }), null);
    }),

    test('setTimeZone with `replaces` changes that zone only, unless the organization has the new one already', async (storage) => {
      const { organizations } = storage;
      const set = async (timeZone: string | null, replaces: string | null | undefined) => {
        const changed = await organizations.setTimeZone({ organizationId: 1, timeZone, replaces });
        const stored = (await organizations.byId(1))?.timeZone;
        return changed === 'outdated' ? ['outdated', stored] : [changed?.timeZone, stored];
      };
      expectEqual(await set('UTC', 'Asia/Tokyo'), ['outdated', null]);
      expectEqual(await set('UTC', null), ['UTC', 'UTC']);
      expectEqual(await set('Asia/Tokyo', null), ['outdated', 'UTC']);
      expectEqual(await set(null, 'Asia/Tokyo'), ['outdated', 'UTC']);
      expectEqual(await set('Asia/Tokyo', 'utc'), ['outdated', 'UTC']);
      expectEqual(await set('Asia/Tokyo', 'U\0TC'), ['outdated', 'UTC']);
      expectEqual(await set('UTC', 'Asia/Tokyo'), ['UTC', 'UTC']);
      expectEqual(await set('Asia/Tokyo', 'UTC'), ['Asia/Tokyo', 'Asia/Tokyo']);
      expectEqual(await set('Europe/Berlin', undefined), ['Europe/Berlin', 'Europe/Berlin']);
      expectEqual(await set(null, 'Europe/Berlin'), [null, null]);
    }),

    test('of several callers at once that replace the same time zone, one succeeds', async (storage) => {
      const { organizations } = storage;
      let replaces: string | null = null;
      for (const round of ['A', 'B', 'C', 'D', 'E']) {
        const zone = (index: number) => `Round_${round}/Caller_${index}`;
        const answers = await atOnce(20, (index) =>
          organizations.setTimeZone({ organizationId: 1, timeZone: zone(index), replaces }),
        );
        const stored: string | null = (await organizations.byId(1))?.timeZone ?? null;
        expectEqual(
          answers.map((answer) => (answer === 'outdated' ? answer : answer?.timeZone)),
          answers.map((_answer, index) => (zone(index) === stored ? stored : 'outdated')),
        );
        replaces = stored;
      }
    }),

    test('rename changes the name of one organization only, and tells the earlier one', async (storage) => {
      const { organizations } = storage;
      await organizations.setTimeZone({ organizationId: 1, timeZone: 'UTC' });
      const [before, other] = await organizations.list();
      for (const name of [...hostileTexts, 'Northwind']) {
        const renamed = await organizations.rename({ organizationId: 1, name });
        expectEqual(renamed, { ...before, name });
        expectEqual(await organizations.list(), [renamed, other]);
      }
      const { seen, journal } = recordingJournal();
      for (const name of ['Southwind', 'Southwind'])
        await organizations.rename({ organizationId: 1, name }, journal);
      const after = await organizations.byId(1);
      expectEqual(seen, [
        { organization: after, before: { ...after, name: 'Northwind' } },
        { organization: after, before: after },
      ]);
      for (const replaces of [undefined, 'Southwind'])
        expectEqual(await organizations.rename({ organizationId: 9, name: 'x', replaces }, journal), null);
      expectEqual(seen.length, 2);
    }),

    test('rename with `replaces` changes that name only, unless the organization has the new one already', async (storage) => {
      const { organizations, load } = storage;
      await load({ organizations: [anOrganization(1, { name: 'A' })] });
      const set = async (name: string, replaces: string) => {
        const changed = await organizations.rename({ organizationId: 1, name, replaces });
        return [changed === 'outdated' ? changed : changed?.name, (await organizations.byId(1))?.name];
      };
      expectEqual(await set('C', 'B'), ['outdated', 'A']);
      expectEqual(await set('C', 'a'), ['outdated', 'A']);
      expectEqual(await set('C', 'A\0'), ['outdated', 'A']);
      expectEqual(await set('A', 'B'), ['A', 'A']);
      expectEqual(await set('C', 'A'), ['C', 'C']);
    }),

    test('of several callers at once that replace the same name, one succeeds', async (storage) => {
      const { organizations, load } = storage;
      await load({ organizations: [anOrganization(1, { name: 'before' })] });
      const answers = await atOnce(20, (index) =>
        organizations.rename({ organizationId: 1, name: `Caller ${index}`, replaces: 'before' }),
      );
      const stored = await organizations.byId(1);
      expectEqual(
        answers,
        answers.map((_, index) => (`Caller ${index}` === stored?.name ? stored : 'outdated')),
      );
    }),
  ];
}

/** Replaces the access key, by default of organization 1 at noon. */
async function replaceKey(
  organizations: Organizations,
  hash: string,
  changes: Partial<Parameters<Organizations['replaceAccessKey']>[0]> = {},
  journal?: Parameters<Organizations['replaceAccessKey']>[1],
) {
  return organizations.replaceAccessKey({ organizationId: 1, hash, at: noon, ...changes }, journal);
}
