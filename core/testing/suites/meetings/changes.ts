import { encodeRow } from '../../../meetings/encode-row.js';
import { type ExportColumn, exportColumns } from '../../../meetings/export-columns.js';
import type { ChangeCursor, MeetingChangesPage } from '../../../meetings/ports/meetings.js';
import { aMeeting, anOrganization, type Dataset, type DatasetMeeting } from '../../dataset.js';
import { type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import type { MakeTest, TestStorage } from '../../start-storage.js';
import { columns, exported, exportRequest } from './export-request.js';
import { hostileMeetings } from './sample-meetings.js';

/** The changes of meetings. Organizations 1 and 3 have an Employee Assistance Program. */
export function changesTests(test: MakeTest): readonly ContractTest[] {
  return [...visibilityTests(test), ...orderTests(test), ...placeTests(test), ...replicaTests(test)];
}

const service = { organizationId: null } as const;

function visibilityTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('changes have the rows of an export, with every column and all texts unchanged', async (storage) => {
      const all = hostileMeetings();
      await storage.load({ changedMeetings: all });
      const [first, ...others] = await changed(storage, { columns: exportColumns });
      const { updated_at } = JSON.parse(first?.row ?? '');
      expectTrue(
        new Date(updated_at).getTime() === first?.changedAt.getTime(),
        `the meeting changed at ${first?.changedAt.toISOString()}, and its row says ${updated_at}`,
      );
      expectEqual(
        [first, ...others].map((change) => JSON.parse(change?.row ?? '')),
        all.map((meeting) => ({ ...JSON.parse(encodeRow(meeting, exportColumns)), updated_at })),
      );
    }),

    test('changes have exactly the requested columns, in the requested order', async (storage) => {
      await storage.load({ changedMeetings: [aMeeting(1, { groupLeaderId: 2 })] });
      const [change] = await changed(storage, { columns: columns('price', 'group_leader_id', 'name') });
      expectEqual(change?.row, '{"price":0,"group_leader":2,"name":"Meeting 1"}');
    }),

    test('an organization sees the changes of its own meetings and of service meetings tied to it', async (storage) => {
      await storage.load({
        changedMeetings: [
          aMeeting(1, { organizationId: 1 }),
          aMeeting(2, { organizationId: 2 }),
          aMeeting(3, { ...service }),
          aMeeting(4, { ...service, eapOrganizationIds: [1] }),
          aMeeting(5, { ...service, eapOrganizationIds: [3, 2] }),
          aMeeting(6, { organizationId: 1, status: 'complete' }),
          aMeeting(7, { organizationId: 3, eapOrganizationIds: [1] }),
        ],
      });
      expectEqual(await seen(storage, 1), ['1', '4', '6']);
      // It has no Employee Assistance Program.
      expectEqual(await seen(storage, 2), ['2']);
      expectEqual(await seen(storage, 3), ['5', '7']);
      expectEqual(await seen(storage, 99), []);
    }),

    test('a deleted meeting is a change without a row, for each organization that saw it', async (storage) => {
      await storage.load({
        changedMeetings: [
          aMeeting(1),
          aMeeting(2, { ...service, eapOrganizationIds: [1, 2, 3] }),
          aMeeting(3),
        ],
      });
      await storage.load({ deletedMeetings: [1, 2] });
      expectEqual(await seen(storage, 1), ['3', '-1', '-2']);
      expectEqual(await seen(storage, 2), []);
      expectEqual(await seen(storage, 3), ['-2']);
    }),

    test('a meeting that moves to another organization is gone from the first and new in the other', async (storage) => {
      await storage.load({ changedMeetings: [aMeeting(1), aMeeting(2)] });
      await storage.load({ changedMeetings: [aMeeting(1, { organizationId: 2 })] });
      expectEqual([await seen(storage, 1), await seen(storage, 2)], [['2', '-1'], ['1']]);
    }),

    test('a service meeting is gone from an organization when its tie is removed or another one owns it', async (storage) => {
      const tied = (id: number, ...ids: readonly number[]) =>
        aMeeting(id, { ...service, eapOrganizationIds: ids });
      await storage.load({ changedMeetings: [tied(1, 1, 3), tied(2, 1, 3), tied(3, 1, 3), tied(4, 1, 3)] });
      await storage.load({
        changedMeetings: [
          tied(1, 3),
          tied(2),
          aMeeting(3, { organizationId: 2, eapOrganizationIds: [1, 3] }),
          aMeeting(4, { organizationId: 1, eapOrganizationIds: [1, 3] }),
        ],
      });
      expectEqual(await seen(storage, 1), ['-1', '-2', '-3', '4']);
      expectEqual(await seen(storage, 2), ['3']);
      expectEqual(await seen(storage, 3), ['1', '-2', '-3', '-4']);
      await storage.load({ changedMeetings: [tied(1, 3, 1), tied(4, 1, 3)] });
      expectEqual(await seen(storage, 1), ['-2', '-3', '1', '4']);
      expectEqual(await seen(storage, 3), ['-2', '-3', '1', '4']);
    }),

    test('switching the Employee Assistance Program changes every meeting that is tied to the organization', async (storage) => {
      const tied = aMeeting(2, { ...service, eapOrganizationIds: [1, 2, 3] });
      const owned = aMeeting(4, { organizationId: 3, eapOrganizationIds: [1] });
      await storage.load({ changedMeetings: [aMeeting(1), tied, aMeeting(3, { ...service }), owned] });
      const { next } = await read(storage, {});
      await storage.load({ organizations: [anOrganization(1, { eap: false })] });
      expectEqual(await seen(storage, 1), ['1', '-2']);
      const off = await read(storage, { after: next });
      expectEqual(off.changes.map(signed), ['-2']);
      await storage.load({ organizations: [anOrganization(1, { eap: true })] });
      expectEqual((await read(storage, { after: off.next })).changes.map(signed), ['2']);
      expectEqual(await seen(storage, 1), ['1', '2']);
      expectEqual(await seen(storage, 3), ['2', '4']);
      // It had none before.
      await storage.load({ organizations: [anOrganization(2, { eap: true })] });
      expectEqual(await seen(storage, 2), ['2']);
    }),

    test('a meeting that is seen again is a meeting, and not a deletion', async (storage) => {
      await storage.load({ changedMeetings: [aMeeting(1), aMeeting(2)] });
      await storage.load({ deletedMeetings: [1] });
      await storage.load({ changedMeetings: [aMeeting(1, { name: 'Again' })] });
      expectEqual(await seen(storage, 1), ['2', '1']);
      await storage.load({ deletedMeetings: [1] });
      expectEqual(await seen(storage, 1), ['2', '-1']);
    }),
  ];
}

function orderTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('each meeting has its latest change only, in the order of the changes and then of the ids', async (storage) => {
      const meetings = [5, 2, 9].map((id) => aMeeting(id));
      await storage.load({ changedMeetings: meetings });
      await storage.load({ changedMeetings: [aMeeting(5, { topic: 'Sleep' }), aMeeting(1)] });
      const changes = await changed(storage);
      expectEqual(changes.map(signed), ['2', '9', '1', '5']);
      const times = changes.map(({ changedAt }) => changedAt.getTime());
      expectTrue(
        times[0] === times[1] && times[2] === times[3] && Number(times[1]) < Number(times[2]),
        `the times are ${times.join(', ')}`,
      );
    }),

    test('a meeting that is stored again and did not change has no new change', async (storage) => {
      const all = [
        aMeeting(1),
        aMeeting(2, { ...service, eapOrganizationIds: [3, 1] }),
        aMeeting(3, { ...service, eapOrganizationIds: [1] }),
      ];
      await storage.load({ changedMeetings: all });
      const before = await read(storage, {});
      await storage.load({ organizations: [anOrganization(1, { eap: true })], changedMeetings: all });
      expectEqual((await read(storage, { after: before.next })).changes, []);
      expectEqual((await read(storage, {})).changes, before.changes);
      // The time at which the meeting came into sight stays, too.
      await storage.load({ organizations: [anOrganization(2, { eap: true })] });
      await storage.load({ changedMeetings: [aMeeting(2, { ...service, eapOrganizationIds: [1, 2, 3] })] });
      await storage.load({ organizations: [anOrganization(2, { eap: false })] });
      await storage.load({ organizations: [anOrganization(2, { eap: true })] });
      const switched = await changed(storage, { organizationId: 2 });
      await storage.load({ changedMeetings: [aMeeting(2, { ...service, eapOrganizationIds: [1, 2, 3] })] });
      expectEqual(await changed(storage, { organizationId: 2 }), switched);
    }),

    test('pages of changes follow one another by `next`, also through many of the same time', async (storage) => {
      await storage.load({ changedMeetings: [1, 2, 3, 4].map((id) => aMeeting(id)) });
      await storage.load({
        changedMeetings: [5, 6, 7].map((id) => aMeeting(id, { ...service, eapOrganizationIds: [1] })),
        deletedMeetings: [2],
      });
      const all = ['1', '3', '4', '-2', '5', '6', '7'];
      for (const limit of [1, 2, 3, 6, 7, 100]) {
        const found: string[] = [];
        let after: ChangeCursor | null = null;
        for (let pages = 1; ; pages += 1) {
          const page: MeetingChangesPage = await read(storage, { after, limit });
          found.push(...page.changes.map(signed));
          after = page.next;
          expectEqual([limit, pages, page.hasMore], [limit, pages, found.length < all.length]);
          expectTrue(page.changes.length <= limit, `${page.changes.length} changes with a limit of ${limit}`);
          if (!page.hasMore) break;
        }
        expectEqual(found, all);
        expectEqual((await read(storage, { after, limit })).changes, []);
      }
    }),
  ];
}

function placeTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('after the last page, `next` is the place of whatever changes from now on', async (storage) => {
      const empty = await read(storage, {});
      expectEqual([empty.changes, empty.hasMore], [[], false]);
      expectEqual((await read(storage, { after: empty.next })).next, empty.next);
      await storage.load({ changedMeetings: [aMeeting(1)] });
      const first = await read(storage, { after: empty.next });
      expectEqual([first.changes.map(signed), first.hasMore], [['1'], false]);
      // Nothing changed for this organization, and its place moves on with the others.
      await storage.load({ changedMeetings: [aMeeting(2, { organizationId: 2 })] });
      const second = await read(storage, { after: first.next });
      expectEqual([second.changes, second.hasMore], [[], false]);
      expectTrue(second.next.since > first.next.since, 'the place of a reader without changes stays behind');
      await storage.load({ deletedMeetings: [1] });
      expectEqual((await read(storage, { after: second.next })).changes.map(signed), ['-1']);
    }),

    test('a place after the newest change is too new', async (storage) => {
      await storage.load({ changedMeetings: [aMeeting(1), aMeeting(2)] });
      const { next } = await read(storage, {});
      const later = new Date(next.since.getTime() + 1);
      const places: readonly Partial<ChangeCursor>[] = [
        { changedAt: later },
        { since: later },
        { changedAt: later, since: later },
      ];
      for (const place of places) {
        const page = await storage.meetings.changes({ ...query, after: { ...next, ...place } });
        expectEqual([place, page], [place, null]);
      }
      const { next: middle } = await read(storage, { limit: 1 });
      expectEqual((await read(storage, { after: middle })).changes.map(signed), ['2']);
    }),
  ];
}

const ROUNDS = 40;

function replicaTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('a copy that applies the changes equals an export of everything after each of many random loads', async (storage) => {
      const random = sequence(7);
      const replicas = [1, 2, 3].map((organizationId) => ({
        ...{ organizationId, after: null as ChangeCursor | null, rows: new Map<number, string>() },
      }));
      for (let round = 1; round <= ROUNDS; round += 1) {
        await storage.load(await randomChange(storage, random));
        for (const replica of replicas) {
          // Some replicas fall behind.
          if (round < ROUNDS && random(3) === 0) continue;
          const { organizationId, rows } = replica;
          for (let hasMore = true; hasMore; ) {
            const page = await read(storage, { organizationId, after: replica.after, limit: 1 + random(9) });
            for (const { id, row } of page.changes) {
              if (row === null) rows.delete(id);
              else rows.set(id, row);
            }
            replica.after = page.next;
            hasMore = page.hasMore;
          }
          const { selection } = exportRequest({
            organizationId,
            withServiceMeetings: (await eapOf(storage)).has(organizationId),
          });
          const all = await exported(storage, { selection, columns: query.columns });
          const byId = (one: string, other: string) => Number(idOf(one)) - Number(idOf(other));
          expectEqual(
            [round, organizationId, [...rows.values()].sort(byId)],
            [round, organizationId, all.map((row) => JSON.stringify(row)).sort(byId)],
          );
        }
      }
    }),
  ];
}

function idOf(row: string): unknown {
  return (JSON.parse(row) as { readonly id: number }).id;
}

async function eapOf(storage: TestStorage): Promise<ReadonlySet<number>> {
  const organizations = await Promise.all([1, 2, 3].map((id) => storage.organizations.byId(id)));
  return new Set(organizations.flatMap((found) => (found?.eap ? [found.id] : [])));
}

type Random = (below: number) => number;

async function randomChange(storage: TestStorage, random: Random): Promise<Dataset> {
  const some = (count: number): readonly number[] => [
    ...new Set(Array.from({ length: random(count + 1) }, () => 1 + random(30))),
  ];
  const changedIds = some(6);
  const meeting = (id: number): DatasetMeeting => {
    const owner = random(5);
    return aMeeting(id, {
      organizationId: owner < 3 ? null : owner - 2,
      eapOrganizationIds: [1, 2, 3].filter(() => random(2) === 0),
      topic: `Topic ${random(3)}`,
      status: ['scheduled', 'complete', 'cancel'][random(3)] as string,
    });
  };
  const switched = 1 + random(3);
  const eap = await eapOf(storage);
  return {
    ...(random(4) === 0 && { organizations: [anOrganization(switched, { eap: !eap.has(switched) })] }),
    changedMeetings: changedIds.map(meeting),
    deletedMeetings: some(3).filter((id) => !changedIds.includes(id)),
  };
}

/** Whole numbers below a limit, the same in each run. */
function sequence(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

interface Query {
  readonly organizationId: number;
  readonly after: ChangeCursor | null;
  readonly limit: number;
  readonly columns: readonly ExportColumn[];
}

const query: Query = { organizationId: 1, after: null, limit: 100, columns: columns('id', 'name', 'topic') };

async function read(storage: TestStorage, request: Partial<Query>): Promise<MeetingChangesPage> {
  const page = await storage.meetings.changes({ ...query, ...request });
  if (page === null) throw new Error(`The place ${JSON.stringify(request.after)} is expired`);
  return page;
}

async function changed(storage: TestStorage, request: Partial<Query> = {}) {
  return (await read(storage, request)).changes;
}

async function seen(storage: TestStorage, organizationId: number): Promise<readonly string[]> {
  return (await changed(storage, { organizationId })).map(signed);
}

/** The id, and a minus before that of a meeting that the organization no longer sees. */
function signed({ id, row }: MeetingChangesPage['changes'][number]): string {
  return row === null ? `-${id}` : String(id);
}
