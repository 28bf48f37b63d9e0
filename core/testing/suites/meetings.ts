import {
  type ExportColumn,
  type ExportColumnKey,
  type ExportForm,
  exportColumns,
} from '../../meetings/export-columns.js';
import { isSelected, type MeetingSelection } from '../../meetings/meeting.js';
import type { ExportedRows, MeetingDetails } from '../../meetings/ports.js';
import { aMeeting, anOrganization, aUser, type DatasetMeeting } from '../dataset.js';
import { encodeRow, encodeRows } from '../encode-row.js';
import { atOnce, type ContractTest, expectEqual, expectTrue } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { type StartedStorage, type StartStorage, storageTest } from '../start-storage.js';

const now = new Date('2026-11-20T12:00:00.000Z');

/** The promises of `Meetings`. */
export function meetingsSuite(start: StartStorage): readonly ContractTest[] {
  const test = (name: string, work: (started: StartedStorage) => Promise<void>) =>
    storageTest(start, `Meetings: ${name}`, async (started) => {
      await started.load({
        organizations: [
          anOrganization(1, { eap: true }),
          anOrganization(2),
          anOrganization(3, { eap: true }),
        ],
        users: [aUser(1), aUser(2), aUser(3)],
      });
      await work(started);
    });
  return [
    ...placesTests(test),
    ...detailsTests(test),
    ...exportTests(test),
    ...formTests(test),
    ...summaryTests(test),
  ];
}

type MakeTest = (name: string, work: (started: StartedStorage) => Promise<void>) => ContractTest;

function placesTests(test: MakeTest): readonly ContractTest[] {
  const member = { organizationId: 1, userId: 1, now };
  return [
    test('places holds the user’s upcoming meetings of the organization and of the service', async ({
      storage: { meetings },
      load,
    }) => {
      const all = [
        aMeeting(1),
        aMeeting(2, { organizationId: null }),
        aMeeting(3, { organizationId: 2 }),
        aMeeting(4, { status: 'cancel' }),
        aMeeting(5, { status: 'complete' }),
        aMeeting(6, { status: 'some_other_status' }),
        aMeeting(7, { endTime: now }),
        aMeeting(8, { startTime: minutes(-30), endTime: new Date(now.getTime() + 1) }),
        aMeeting(9),
      ];
      const registeredAt = new Date('2026-11-01T10:00:00.500Z');
      const registrations = all.slice(0, -1).map(({ id }) => ({ meetingId: id, userId: 1, registeredAt }));
      await load({
        meetings: all,
        registrations: [...registrations, { meetingId: 9, userId: 2, registeredAt }],
      });

      const { registered, waiting } = await meetings.places(member);
      expectEqual(
        [...registered].sort((one, other) => one.meetingId - other.meetingId),
        [1, 2, 6, 8].map((id) => ({ meetingId: id, startTime: all[id - 1]?.startTime, registeredAt })),
      );
      expectEqual(waiting, []);
    }),

    test('placesOf holds what places does, of the member whom the identity provider knows so', async ({
      storage: { meetings },
      load,
    }) => {
      await load({
        memberships: [
          { organizationId: 1, userId: 1, role: 'member', idpId: 'one' },
          { organizationId: 1, userId: 2, role: 'member', idpId: 'two' },
          { organizationId: 2, userId: 3, role: 'member', idpId: 'three' },
        ],
        meetings: [aMeeting(1, { waitList: true }), aMeeting(2, { waitList: true }), aMeeting(3)],
        registrations: [
          { meetingId: 1, userId: 1, registeredAt: now },
          { meetingId: 3, userId: 3, registeredAt: now },
        ],
        waitingPlaces: [{ meetingId: 2, userId: 1, status: 'offered', createdAt: now }],
      });
      const page = { offset: 0, limit: 100 };
      const of = (idpId: string) => meetings.placesOf({ organizationId: 1, idpId, now, page });
      const { details, ...places } = (await of('one')) ?? { registered: [], waiting: [], details: [] };
      expectEqual(places, await meetings.places(member));
      expectEqual(places.waiting.length, 1);
      expectEqual(byId(details), byId(await meetings.details({ organizationId: 1, ids: [1, 2] })));
      expectEqual(
        [await of('two'), await of('three'), await of('ONE'), await of('')],
        [{ registered: [], waiting: [], details: [] }, null, null, null],
      );
    }),

    test('placesOf holds every place, and the details of one page by start time and then id', async ({
      storage: { meetings },
      load,
    }) => {
      const starts = [30, 20, 10, 20, 20, 40];
      const all = starts.map((start, index) =>
        aMeeting(index + 1, { startTime: minutes(start), endTime: minutes(90), waitList: true }),
      );
      const place = { userId: 1, createdAt: now, registeredAt: now };
      await load({
        memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: 'one' }],
        meetings: all,
        // One is registered and waits in the same meeting, which stands on the page once.
        registrations: [1, 2, 3, 4].map((meetingId) => ({ ...place, meetingId })),
        waitingPlaces: [4, 5, 6].map((meetingId) => ({ ...place, meetingId, status: 'waiting' as const })),
      });
      const idsOn = async (offset: number, limit: number) => {
        const page = { offset, limit };
        const found = await meetings.placesOf({ organizationId: 1, idpId: 'one', now, page });
        expectEqual([found?.registered.length, found?.waiting.length], [4, 3]);
        return found?.details.map(({ id }) => id).sort((one, other) => one - other);
      };
      expectEqual(await idsOn(0, 1), [3]);
      expectEqual(await idsOn(1, 2), [2, 4]);
      expectEqual(await idsOn(2, 2), [4, 5]);
      expectEqual(await idsOn(3, 100), [1, 5, 6]);
      expectEqual(await idsOn(6, 100), []);
      expectEqual(await idsOn(99_999_999_900, 100), []);
    }),

    test('seatsSince holds what ends after the moment and is not cancelled, completed ones as well', async ({
      storage: { meetings },
      load,
    }) => {
      const all = [
        aMeeting(1),
        aMeeting(2, { organizationId: null }),
        aMeeting(3, { organizationId: 2 }),
        aMeeting(4, { status: 'cancel' }),
        aMeeting(5, { startTime: minutes(-90), endTime: minutes(-59), status: 'complete' }),
        aMeeting(6, { startTime: minutes(-90), endTime: minutes(-60) }),
        aMeeting(7),
      ];
      const registeredAt = new Date('2026-11-01T10:00:00.500Z');
      const registrations = all.slice(0, -1).map(({ id }) => ({ meetingId: id, userId: 1, registeredAt }));
      await load({
        meetings: all,
        registrations: [...registrations, { meetingId: 7, userId: 2, registeredAt }],
      });
      const seats = await meetings.seatsSince({ organizationId: 1, userId: 1, endsAfter: minutes(-60) });
      expectEqual(
        [...seats].sort((one, other) => one.meetingId - other.meetingId),
        [1, 2, 5].map((id) => ({ meetingId: id, startTime: all[id - 1]?.startTime, registeredAt })),
      );
    }),

    test('places holds every status of the queue, and only while the waitlist is on', async ({
      storage: { meetings },
      load,
    }) => {
      const statuses = ['waiting', 'accepted', 'rejected', 'offered', 'expired'] as const;
      const open = statuses.map((_, index) => aMeeting(index + 1, { waitList: true }));
      await load({
        meetings: [...open, aMeeting(10), aMeeting(11, { waitList: true, status: 'cancel' })],
        waitingPlaces: [
          ...statuses.map((status, index) => ({ meetingId: index + 1, userId: 1, status, createdAt: now })),
          { meetingId: 10, userId: 1, status: 'waiting', createdAt: now },
          { meetingId: 11, userId: 1, status: 'waiting', createdAt: now },
        ],
      });
      const { registered, waiting } = await meetings.places(member);
      expectEqual(
        [...waiting].sort((one, other) => one.meetingId - other.meetingId),
        open.map(({ id, startTime }, index) => ({ meetingId: id, startTime, status: statuses[index] })),
      );
      expectEqual(registered, []);
    }),

    test('a meeting that is moved is upcoming by its new end', async ({ storage: { meetings }, load }) => {
      const past = { startTime: minutes(-120), endTime: minutes(-60) };
      await load({
        meetings: [aMeeting(1, { ...past, waitList: true })],
        registrations: [{ meetingId: 1, userId: 1, registeredAt: now }],
        waitingPlaces: [{ meetingId: 1, userId: 1, status: 'waiting', createdAt: now }],
      });
      expectEqual(await meetings.places(member), { registered: [], waiting: [] });

      await load({ meetings: [aMeeting(1, { waitList: true })] });
      const { registered, waiting } = await meetings.places(member);
      expectEqual([registered.length, waiting.length], [1, 1]);
    }),
  ];
}

function byId(details: readonly MeetingDetails[]): readonly MeetingDetails[] {
  return [...details].sort((one, other) => one.id - other.id);
}

function detailsTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('details counts the registrations without the group leader', async ({
      storage: { meetings },
      load,
    }) => {
      await load({
        users: [aUser(1, { avatar: 'https://pictures.example/1.png', lastName: 'Ōe' })],
        meetings: [aMeeting(1, { groupLeaderId: 1, description: 'All are welcome' }), aMeeting(2)],
        registrations: [1, 2, 3].map((userId) => ({ meetingId: 1, userId, registeredAt: now })),
      });
      const found = await meetings.details({ organizationId: 1, ids: [2, 1] });
      const expected: MeetingDetails = {
        id: 1,
        name: 'Meeting 1',
        startTime: aMeeting(1).startTime,
        endTime: aMeeting(1).endTime,
        topic: 'Grief',
        description: 'All are welcome',
        location: 'zoom',
        maxAttendees: 12,
        registeredAttendees: 2,
        groupLeader: { id: 1, firstName: 'First1', lastName: 'Ōe', avatar: 'https://pictures.example/1.png' },
      };
      expectEqual(byId(found), [
        expected,
        {
          ...expected,
          id: 2,
          name: 'Meeting 2',
          description: null,
          registeredAttendees: 0,
          groupLeader: null,
        },
      ]);
    }),

    test('details leaves out what is gone or another organization’s', async ({
      storage: { meetings },
      load,
    }) => {
      await load({ meetings: [aMeeting(1, { organizationId: 2 }), aMeeting(2, { organizationId: null })] });
      const found = await meetings.details({ organizationId: 1, ids: [1, 2, 3] });
      expectEqual(
        found.map(({ id }) => id),
        [2],
      );
    }),
  ];
}

function exportTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('export gives every column with its type, and texts of every kind come back equal', async (started) => {
      const all = hostileMeetings();
      await started.load({ meetings: all });
      const rows = await exported(started, { columns: exportColumns });
      expectEqual(
        rows,
        all.map((meeting) => JSON.parse(encodeRow(meeting, exportColumns))),
      );
    }),

    test('export has exactly the columns asked for, in their order', async (started) => {
      await started.load({ meetings: [aMeeting(1, { groupLeaderId: 2 })] });
      const [row] = await exported(started, { columns: columns('price', 'group_leader_id', 'name') });
      expectEqual(Object.entries(row ?? {}), [
        ['price', 0],
        ['group_leader', 2],
        ['name', 'Meeting 1'],
      ]);
    }),

    test('export is ordered by start time and then id', async (started) => {
      await started.load({
        meetings: [
          aMeeting(30, { startTime: minutes(10) }),
          aMeeting(4, { startTime: minutes(20) }),
          aMeeting(20, { startTime: minutes(10) }),
          aMeeting(100, { startTime: minutes(10), organizationId: null, eapOrganizationIds: [1] }),
          aMeeting(5, { startTime: minutes(-10) }),
        ],
      });
      expectEqual(
        await exportedNames(started, {}),
        [5, 20, 30, 100, 4].map((id) => `Meeting ${id}`),
      );
    }),

    test('export agrees with the rule of selection for every state, range and kind of meeting', async (started) => {
      const all = selectionMeetings();
      await started.load({ meetings: all });
      for (const selection of selections()) {
        const expected = all.filter((meeting) => isSelected(meeting, selection)).map(({ name }) => name);
        const names = await exportedNames(started, selection);
        expectEqual([selection, [...names].sort()], [selection, expected.sort()]);
      }
    }),

    test('a page counts the whole selection and holds its own rows', async (started) => {
      await started.load({
        meetings: Array.from({ length: 25 }, (_, index) =>
          aMeeting(index + 1, { startTime: minutes(index) }),
        ),
      });
      const pages = [
        await exportedPage(started, { offset: 0, limit: 10 }),
        await exportedPage(started, { offset: 20, limit: 10 }),
        await exportedPage(started, { offset: 99_999_999_900, limit: 100 }),
      ];
      const names = (from: number, to: number): readonly string[] =>
        Array.from({ length: to - from }, (_, index) => `Meeting ${from + index + 1}`);
      expectEqual(pages, [
        { total: 25, names: names(0, 10) },
        { total: 25, names: names(20, 25) },
        { total: 25, names: [] },
      ]);
    }),

    test('a page over own and service meetings holds each once', async (started) => {
      await started.load({
        meetings: Array.from({ length: 12 }, (_, index) =>
          aMeeting(index + 1, {
            startTime: minutes(index),
            ...(index % 2 === 0 ? { organizationId: null, eapOrganizationIds: [1, 3] } : {}),
          }),
        ),
      });
      const page = await exportedPage(started, { offset: 5, limit: 4 });
      expectEqual(page, { total: 12, names: ['Meeting 6', 'Meeting 7', 'Meeting 8', 'Meeting 9'] });
    }),

    test('all pages of a selection, from the first to one past the last, are its rows, with its total', async (started) => {
      await started.load({ meetings: manyMeetings() });
      for (const selection of pagedSelections) {
        const all = await exportedNames(started, selection);
        for (const limit of [1, 3]) {
          for (let offset = 0; offset <= all.length + limit; offset += limit) {
            const page = await exportedPage(started, { offset, limit }, selection);
            const expected = { total: all.length, names: all.slice(offset, offset + limit) };
            expectEqual([selection, offset, limit, page], [selection, offset, limit, expected]);
          }
        }
      }
    }),

    test('thousands of rows come whole, each once, though many start at the same moment', async (started) => {
      const count = 2345;
      await started.load({
        meetings: Array.from({ length: count }, (_, index) =>
          aMeeting(index + 1, {
            startTime: minutes(index % 3),
            organizationId: index % 5 === 0 ? null : 1,
            eapOrganizationIds: index % 5 === 0 ? [1] : [],
          }),
        ),
      });
      const names = await exportedNames(started, {});
      expectEqual(names.length, count);
      expectEqual(new Set(names).size, count);
    }),

    test('no rows are no bytes, and a page of none has a total of 0', async (started) => {
      const bytes = await text(await started.storage.meetings.export({ ...request({}), page: null }));
      expectEqual(bytes, '');
      expectEqual(await exportedPage(started, { offset: 0, limit: 10 }), { total: 0, names: [] });
    }),

    test('what is written while the chunks are read does not show', async (started) => {
      const meetings = Array.from({ length: 1500 }, (_, index) =>
        aMeeting(index + 1, { startTime: minutes(index) }),
      );
      await started.load({ meetings });
      const { chunks } = await started.storage.meetings.export({ ...request({}), page: null });
      const reader = chunks[Symbol.asyncIterator]();
      const first = await reader.next();

      await started.load({
        meetings: [
          aMeeting(1400, { name: 'changed', startTime: minutes(1399) }),
          aMeeting(9000, { startTime: minutes(9000) }),
        ],
      });
      let rest = decode(first.done ? new Uint8Array() : first.value);
      for (let chunk = await reader.next(); !chunk.done; chunk = await reader.next())
        rest += decode(chunk.value);
      const names = (JSON.parse(`[${rest}]`) as readonly { name: string }[]).map(({ name }) => name);
      expectEqual(
        names,
        meetings.map(({ name }) => name),
      );
    }),

    test('many exports that are left in the middle leave nothing behind', async (started) => {
      await started.load({
        meetings: Array.from({ length: 1200 }, (_, index) =>
          aMeeting(index + 1, { startTime: minutes(index) }),
        ),
      });
      for (let round = 0; round < 30; round += 1) {
        const { chunks } = await started.storage.meetings.export({ ...request({}), page: null });
        for await (const chunk of chunks) {
          expectTrue(chunk.length > 0, 'an empty chunk');
          break;
        }
      }
      expectEqual((await exportedNames(started, {})).length, 1200);
    }),

    test('eight exports at once give the same', async (started) => {
      await started.load({
        meetings: Array.from({ length: 700 }, (_, index) =>
          aMeeting(index + 1, { startTime: minutes(index) }),
        ),
      });
      const all = await atOnce(8, () => exportedNames(started, {}));
      expectEqual(
        all.map((names) => names.length),
        Array(8).fill(700),
      );
    }),
  ];
}

function formTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('ndjson has the same objects, a line for each', async (started) => {
      const all = hostileMeetings();
      await started.load({ meetings: all });
      const lines = (await encoded(started, { columns: exportColumns, form: 'ndjson' })).split('\n');
      expectEqual(lines.pop(), '');
      expectEqual(
        lines.map((line) => JSON.parse(line)),
        all.map((meeting) => JSON.parse(encodeRow(meeting, exportColumns))),
      );
    }),

    test('csv has a record for each row whose texts come back equal', async (started) => {
      const all = hostileMeetings();
      await started.load({ meetings: all });
      const records = csvRecords(await encoded(started, { columns: exportColumns, form: 'csv' }));
      expectEqual(
        records.map((record) => record.map((cell, index) => cellValue(cell, exportColumns[index]))),
        all.map((meeting) => Object.values(JSON.parse(encodeRow(meeting, exportColumns)))),
      );
    }),

    test('csv keeps every text from being a formula, and every number a number', async (started) => {
      const texts = [
        '=1+1',
        '+1',
        '-1',
        '@A1',
        '\t=1',
        '\r=1',
        '\n=1',
        '＝1',
        '＋1',
        '－1',
        '＠1',
        '"=1',
        ' =1',
      ];
      await started.load({
        meetings: texts.map((name, index) => aMeeting(index + 1, { name, price: -1.5, duration: 60 })),
      });
      const text = await encoded(started, { columns: columns('price', 'name', 'duration'), form: 'csv' });
      const safe = texts.map((name) => (/^[" ]/.test(name) ? name.replace('"', '""') : `'${name}`));
      expectEqual(text, safe.map((name) => `-1.5,"${name}",60\r\n`).join(''));
    }),

    test('csv tells a missing text from an empty one', async (started) => {
      await started.load({
        meetings: [aMeeting(1, { description: null }), aMeeting(2, { description: '', groupLeaderId: 1 })],
      });
      const asked = columns('meeting_description', 'group_leader_id', 'eap', 'start_time');
      const text = await encoded(started, { columns: asked, form: 'csv' });
      const start = aMeeting(1).startTime.toISOString();
      expectEqual(text, `,,false,${start}\r\n"",1,false,${start}\r\n`);
    }),

    test('a page, thousands of rows and none have no more and no fewer rows in any form', async (started) => {
      const all = Array.from({ length: 1203 }, (_, index) =>
        aMeeting(index + 1, { startTime: minutes(index) }),
      );
      for (const form of ['ndjson', 'csv'] as const) {
        expectEqual(await encoded(started, { columns: columns('name'), form }), '');
      }
      await started.load({ meetings: all });
      for (const form of ['json', 'ndjson', 'csv'] as const) {
        const asked = { columns: columns('name', 'price'), form };
        const whole = encodeRows(all, asked).join('');
        expectEqual(await encoded(started, asked), whole);
        const page = { ...request({}), ...asked, page: { offset: 1200, limit: 10 } };
        const rows = await started.storage.meetings.export(page);
        expectEqual([rows.total, await text(rows)], [1203, encodeRows(all.slice(1200), asked).join('')]);
      }
    }),
  ];
}

function summaryTests(test: MakeTest): readonly ContractTest[] {
  const ranges = [
    { from: minutes(-60), before: now },
    { from: now, before: minutes(60) },
    { from: minutes(60), before: minutes(60) },
  ];
  const none = { meetings: 0, seatsOffered: 0, seatsTaken: 0 };
  return [
    test('summarize counts meetings and seats of each range, half-open, without the cancelled ones and the leaders', async ({
      storage: { meetings },
      load,
    }) => {
      await load({
        meetings: [
          aMeeting(1, { startTime: minutes(-60), maxAttendees: 5, groupLeaderId: 1, status: 'complete' }),
          aMeeting(2, { startTime: minutes(-1), maxAttendees: 0 }),
          aMeeting(3, { startTime: now, maxAttendees: 2_147_483_647 }),
          aMeeting(4, { startTime: now, maxAttendees: 2_147_483_647, status: 'odd' }),
          aMeeting(5, { startTime: now, maxAttendees: 7, status: 'cancel' }),
          aMeeting(6, { startTime: minutes(60), maxAttendees: 7 }),
          aMeeting(7, { startTime: minutes(-61), maxAttendees: 7 }),
          aMeeting(8, { startTime: now, maxAttendees: 7, organizationId: 2 }),
        ],
        registrations: [1, 2, 3, 5, 8].flatMap((meetingId) =>
          [1, 2, 3].map((userId) => ({ meetingId, userId, registeredAt: now })),
        ),
      });
      expectEqual(await meetings.summarize({ organizationId: 1, withServiceMeetings: false, ranges }), [
        { meetings: 2, seatsOffered: 5, seatsTaken: 5 },
        { meetings: 2, seatsOffered: 4_294_967_294, seatsTaken: 3 },
        none,
      ]);
      const overlapping = [
        { from: minutes(-60), before: minutes(60) },
        { from: minutes(-60), before: minutes(60) },
      ];
      expectEqual(
        (
          await meetings.summarize({ organizationId: 2, withServiceMeetings: false, ranges: overlapping })
        ).map(({ meetings: count }) => count),
        [1, 1],
      );
      expectEqual(await meetings.summarize({ organizationId: 1, withServiceMeetings: true, ranges: [] }), []);
    }),

    test('summarize has the service meetings that are tied to the organization, where asked for', async ({
      storage: { meetings },
      load,
    }) => {
      const own = { startTime: now, maxAttendees: 1 };
      await load({
        meetings: [
          aMeeting(1, own),
          aMeeting(2, { ...own, organizationId: null, eapOrganizationIds: [1, 3] }),
          aMeeting(3, { ...own, organizationId: null, eapOrganizationIds: [3], status: 'cancel' }),
          aMeeting(4, { ...own, organizationId: null }),
        ],
        registrations: [{ meetingId: 2, userId: 1, registeredAt: now }],
      });
      const summary = async (organizationId: number, withServiceMeetings: boolean) =>
        (await meetings.summarize({ organizationId, withServiceMeetings, ranges }))[1];
      expectEqual(await summary(1, true), { meetings: 2, seatsOffered: 2, seatsTaken: 1 });
      expectEqual(await summary(1, false), { meetings: 1, seatsOffered: 1, seatsTaken: 0 });
      expectEqual(await summary(3, true), { meetings: 1, seatsOffered: 1, seatsTaken: 1 });
      expectEqual(await summary(2, true), none);
    }),
  ];
}

/** A meeting for each hostile text, with every kind of number, and what may be missing missing in some. */
function hostileMeetings(): readonly DatasetMeeting[] {
  return hostileTexts.map((text, index) =>
    aMeeting(index + 1, {
      name: text,
      meetingType: text,
      status: index % 2 === 0 ? 'complete' : text,
      topic: text,
      specialFocus: text,
      host: text,
      description: index % 3 === 0 ? null : text,
      price: [null, 0, 0.1, 10, 12.5, 0.30000000000000004, 1e21, 1e-7][index % 8] ?? null,
      groupLeaderId: index % 2 === 0 ? 1 : null,
      privacy: index % 2 === 0,
      eap: index % 2 === 1,
      allowMeetingDonation: index % 3 === 0,
      invitationOnly: index % 3 === 1,
      waitList: index % 3 === 2,
      duration: index,
    }),
  );
}

/** Reads records of RFC 4180. A cell without quotes that holds nothing is null. */
function csvRecords(csv: string): readonly (readonly (string | null)[])[] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)) {
    record.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  expectEqual(record, []);
  return records;
}

/** What the cell stands for; throws where the apostrophe before a formula is missing. */
function cellValue(cell: string | null, column: ExportColumn | undefined): unknown {
  if (cell === null) return null;
  if (column?.type === 'boolean' || column?.type === 'price' || column?.type.startsWith('integer'))
    return JSON.parse(cell);
  expectTrue(!/^[=+\-@\t\r\n]/.test(cell), `a formula: ${cell}`);
  return cell.replace(/^'(?=[=+\-@\t\r\n])/, '');
}

async function encoded(
  { storage }: StartedStorage,
  asked: { readonly columns: readonly ExportColumn[]; readonly form: ExportForm },
): Promise<string> {
  return text(await storage.meetings.export({ ...request({}), ...asked, page: null }));
}

/** One meeting for each way in which the rule can tell meetings apart. */
function selectionMeetings(): readonly DatasetMeeting[] {
  const owners: readonly Partial<DatasetMeeting>[] = [
    { organizationId: 1 },
    { organizationId: 2 },
    { organizationId: null },
    { organizationId: null, eapOrganizationIds: [1] },
    { organizationId: null, eapOrganizationIds: [2, 3] },
  ];
  const starts = [minutes(-180), minutes(-60), minutes(-30), now, minutes(60)];
  let id = 0;
  return owners.flatMap((owner) =>
    ['complete', 'cancel', 'scheduled', 'in_progress'].flatMap((status) =>
      starts.flatMap((startTime) =>
        [true, false].map((eap) => {
          id += 1;
          return aMeeting(id, {
            ...owner,
            status,
            eap,
            startTime,
            endTime: new Date(startTime.getTime() + 3_600_000),
          });
        }),
      ),
    ),
  );
}

function selections(): readonly MeetingSelection[] {
  const ranges = [
    { from: null, before: null },
    { from: minutes(-60), before: now },
    { from: now, before: null },
    { from: null, before: minutes(-30) },
    { from: minutes(10), before: minutes(5) },
  ];
  return [1, 2, 3].flatMap((organizationId) =>
    [true, false].flatMap((withServiceMeetings) =>
      [true, false].flatMap((eapOnly) =>
        (['past', 'upcoming', 'any'] as const).flatMap((state) =>
          ranges.map((starts) => ({ organizationId, withServiceMeetings, eapOnly, state, starts, now })),
        ),
      ),
    ),
  );
}

function request(selection: Partial<MeetingSelection>) {
  return {
    selection: {
      organizationId: 1,
      withServiceMeetings: true,
      eapOnly: false,
      state: 'any',
      starts: { from: null, before: null },
      now,
      ...selection,
    },
    columns: columns('name'),
    form: 'json',
  } as const;
}

function columns(...keys: readonly ExportColumnKey[]) {
  return keys.flatMap((key) => exportColumns.filter((column) => column.key === key));
}

async function exported(
  { storage }: StartedStorage,
  given: { readonly selection?: MeetingSelection; readonly columns?: readonly ExportColumn[] },
): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse(
    `[${await text(await storage.meetings.export({ ...request({}), ...given, page: null }))}]`,
  );
}

async function exportedNames(
  started: StartedStorage,
  selection: Partial<MeetingSelection>,
): Promise<readonly unknown[]> {
  return (await exported(started, request(selection))).map((row) => row.name);
}

async function exportedPage(
  { storage }: StartedStorage,
  page: { readonly offset: number; readonly limit: number },
  selection: Partial<MeetingSelection> = {},
): Promise<{ readonly total: number | null; readonly names: readonly unknown[] }> {
  const rows = await storage.meetings.export({ ...request(selection), page });
  const parsed: readonly Record<string, unknown>[] = JSON.parse(`[${await text(rows)}]`);
  return { total: rows.total, names: parsed.map((row) => row.name) };
}

async function text({ chunks }: ExportedRows): Promise<string> {
  const decoder = new TextDecoder();
  let all = '';
  for await (const chunk of chunks) all += decoder.decode(chunk, { stream: true });
  return all;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Own ones and the service's, many at the same moment. */
function manyMeetings(): readonly DatasetMeeting[] {
  return Array.from({ length: 47 }, (_, index) =>
    aMeeting(index + 1, {
      startTime: minutes(Math.floor(index / 3) * 10),
      status: index % 4 === 0 ? 'scheduled' : 'complete',
      eap: index % 3 === 0,
      organizationId: index % 5 === 0 ? null : 1,
      eapOrganizationIds: index % 5 === 0 ? [1, 3] : [],
    }),
  );
}

const pagedSelections: readonly Partial<MeetingSelection>[] = [
  { state: 'past' },
  { state: 'past', withServiceMeetings: false },
  { state: 'past', eapOnly: true },
  { state: 'any', withServiceMeetings: false, starts: { from: minutes(20), before: minutes(130) } },
  { state: 'upcoming', now: minutes(40) },
];

function minutes(number: number): Date {
  return new Date(now.getTime() + number * 60_000);
}
