import { maxSessions } from '../../users/sessions/session.js';
import { anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { later, minutes, noon } from '../noon.js';
import { recordingJournal } from '../recording-journal.js';
import { type StartStorage, storageTests } from '../start-storage.js';

const link = { hash: 'link', organizationId: 1, userId: 1, createdAt: noon, expiresAt: later };
const stored = { ...link, openedAt: null };
const session = { userId: 1, startedBy: 'setup-link', createdAt: noon, passwordHash: null } as const;

/** The promises of `SetupLinks`. */
export function setupLinksSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'SetupLinks', (storage) =>
    storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [aUser(1), aUser(2)],
      memberships: [
        { organizationId: 1, userId: 1, role: 'owner', idpId: null },
        { organizationId: 1, userId: 2, role: 'owner', idpId: null },
        { organizationId: 2, userId: 1, role: 'owner', idpId: null },
      ],
    }),
  );
  return [
    test('a link is found by its hash and by its own organization', async ({ setupLinks }) => {
      expectEqual([await setupLinks.byHash('link'), await setupLinks.of(1)], [null, null]);
      const { seen, journal } = recordingJournal();
      expectEqual(await setupLinks.store(link, journal), true);
      expectEqual([await setupLinks.byHash('link'), await setupLinks.of(1)], [stored, stored]);
      expectEqual([await setupLinks.byHash('Link'), await setupLinks.of(2)], [null, null]);
      expectEqual(seen, [stored]);
    }),

    test('a link is stored for a member only, and goes with the membership', async (storage) => {
      const { setupLinks, members } = storage;
      const { seen, journal } = recordingJournal();
      expectEqual(await setupLinks.store({ ...link, organizationId: 2, userId: 2 }, journal), false);
      expectEqual(await setupLinks.store({ ...link, userId: 99 }, journal), false);
      expectEqual([await setupLinks.byHash('link'), seen], [null, []]);
      await setupLinks.store({ ...link, hash: 'elsewhere', organizationId: 2 });
      await setupLinks.store(link);
      await members.remove({ organizationId: 1, userId: 1, at: noon });
      expectEqual([await setupLinks.of(1), (await setupLinks.of(2))?.hash], [null, 'elsewhere']);
    }),

    test('a new link ends the one before, with its sessions', async ({ setupLinks, sessions }) => {
      await setupLinks.store({ ...link, hash: 'elsewhere', organizationId: 2 });
      await setupLinks.store(link);
      await sessions.create({ ...session, hash: 'here', boundTo: 1, sid: 'link' });
      await sessions.create({ ...session, hash: 'there', boundTo: 2, sid: 'elsewhere' });
      await sessions.create({ ...session, hash: 'own', boundTo: null, startedBy: 'password' });
      await setupLinks.store({ ...link, hash: 'second', userId: 2 });
      expectEqual([await setupLinks.byHash('link'), (await setupLinks.of(1))?.userId], [null, 2]);
      expectEqual(
        await Promise.all(['here', 'there', 'own'].map(async (hash) => (await sessions.find(hash)) !== null)),
        [false, true, true],
      );
    }),

    test('of 20 links at once, one is left', async ({ setupLinks }) => {
      const hashes = Array.from({ length: 20 }, (_, index) => `${index}`);
      expectEqual(
        await atOnce(20, (index) => setupLinks.store({ ...link, hash: `${index}` })),
        Array(20).fill(true),
      );
      const found = await Promise.all(hashes.map((hash) => setupLinks.byHash(hash)));
      expectEqual(found.filter((one) => one !== null).length, 1);
    }),

    test('a link opens again and again until it expires', async ({ setupLinks }) => {
      await setupLinks.store(link);
      const { seen, journal } = recordingJournal();
      expectEqual(await setupLinks.open({ hash: 'link', at: noon }, journal), true);
      const last = new Date(later.getTime() - 1);
      expectEqual(await setupLinks.open({ hash: 'link', at: last }, journal), true);
      expectEqual(await setupLinks.open({ hash: 'link', at: later }, journal), false);
      expectEqual(await setupLinks.open({ hash: 'unknown', at: noon }, journal), false);
      expectEqual((await setupLinks.of(1))?.openedAt, last);
      expectEqual(seen, [
        { ...link, openedAt: noon },
        { ...link, openedAt: last },
      ]);
    }),

    test('a link ends once, with its sessions, and starts none afterwards', async ({
      setupLinks,
      sessions,
    }) => {
      const { seen, journal } = recordingJournal();
      expectEqual(await setupLinks.end(1, journal), false);
      await setupLinks.store({ ...link, hash: 'elsewhere', organizationId: 2 });
      await setupLinks.store(link);
      const create = (hash: string) => sessions.create({ ...session, hash, boundTo: 1, sid: 'link' });
      expectEqual(await create('before'), true);
      expectEqual(await sessions.create({ ...session, hash: 'wrong', boundTo: 2, sid: 'link' }), false);
      expectEqual((await atOnce(20, () => setupLinks.end(1, journal))).filter(Boolean).length, 1);
      expectEqual([await create('after'), await sessions.find('before')], [false, null]);
      expectEqual([await setupLinks.of(1), (await setupLinks.of(2))?.hash], [null, 'elsewhere']);
      expectEqual(seen, [stored]);
    }),

    test('only an owner has a link, whatever happens at the same time', async ({ setupLinks, members }) => {
      await members.changeRole({ organizationId: 1, userId: 1, role: 'admin' });
      expectEqual([await setupLinks.store(link), await setupLinks.of(1)], [false, null]);
      await members.changeRole({ organizationId: 1, userId: 1, role: 'owner' });
      await atOnce(20, async (index) =>
        index === 10
          ? void (await members.changeRole({ organizationId: 1, userId: 1, role: 'admin' }))
          : void (await setupLinks.store({ ...link, hash: `${index}` })),
      );
      expectEqual(await setupLinks.of(1), null);
    }),

    test('the link of another owner stays when an owner is one no more', async ({ setupLinks, members }) => {
      await setupLinks.store({ ...link, userId: 2 });
      await members.changeRole({ organizationId: 1, userId: 1, role: 'member' });
      expectEqual((await setupLinks.of(1))?.userId, 2);
    }),

    test('a link ends, with its sessions, when its maker is an owner no more', async (storage) => {
      const { setupLinks, sessions, members } = storage;
      await setupLinks.store({ ...link, hash: 'elsewhere', organizationId: 2 });
      await setupLinks.store(link);
      for (const [hash, boundTo] of [
        ['link', 1],
        ['elsewhere', 2],
      ] as const)
        await sessions.create({ ...session, hash: `s ${hash}`, boundTo, sid: hash });
      const as = (role: 'owner' | 'admin') => members.changeRole({ organizationId: 1, userId: 1, role });
      await as('admin');
      await as('owner');
      expectEqual([await setupLinks.of(1), await sessions.find('s link')], [null, null]);
      expectEqual((await setupLinks.of(2))?.hash, 'elsewhere');
      expectEqual((await sessions.find('s elsewhere'))?.boundTo, 2);
    }),

    test('its sessions end none that began in another way', async ({ setupLinks, sessions }) => {
      await setupLinks.store(link);
      await sessions.create({ ...session, startedBy: undefined, boundTo: null, hash: 'own' });
      const create = (hash: string, minute: number) =>
        sessions.create({ ...session, hash, boundTo: 1, sid: 'link', createdAt: minutes(minute) });
      await create('first', 1);
      await atOnce(maxSessions - 1, (index) => create(`${index}`, 2));
      await create('last', 3);
      const left = await Promise.all(['own', 'first', 'last'].map((hash) => sessions.find(hash)));
      expectEqual(
        left.map((found) => found?.startedBy),
        ['password', undefined, 'setup-link'],
      );
    }),

    test('of an end and 20 sessions at once, no session is left', async ({ setupLinks, sessions }) => {
      await setupLinks.store(link);
      const [, ...created] = await Promise.all([
        setupLinks.end(1),
        ...Array.from({ length: 20 }, (_, index) =>
          sessions.create({ ...session, hash: `${index}`, boundTo: 1, sid: 'link' }),
        ),
      ]);
      const found = await Promise.all(created.map((_, index) => sessions.find(`${index}`)));
      expectEqual(
        found.filter((one) => one !== null),
        [],
      );
      expectEqual(await setupLinks.open({ hash: 'link', at: minutes(1) }), false);
    }),
  ];
}
