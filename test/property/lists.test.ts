import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Organization, UpcomingMeeting } from '@rollcall/core';
import { presetRange, presets } from '@rollcall/core/rules';
import {
  aMeeting,
  anOrganization,
  aUser,
  type DatasetMeeting,
  type DatasetRegistration,
  type DatasetWaitingPlace,
} from '@rollcall/core/testing';
import fc from 'fast-check';
import { databaseKinds } from '../support/storage.js';
import { startTestService } from '../support/test-service.js';
import { naiveExport, naiveUpcoming } from './naive-rules.js';

const RUNS = 30;
const MEETINGS = 40;
const MINUTE_MS = 60_000;

/** Zones whose clocks change by an hour, by half an hour, at midnight, or never. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Pacific/Apia',
] as const;

/** Times around clock changes and the ends of weeks, months and years, and an ordinary one. */
const nows = [
  '2026-03-29T00:59:59.999Z',
  '2026-03-29T12:00:00.000Z',
  '2026-10-25T01:00:00.000Z',
  '2026-10-26T00:00:00.000Z',
  '2026-03-08T07:00:00.000Z',
  '2026-11-01T06:00:00.000Z',
  '2026-09-06T04:00:00.000Z',
  '2026-04-05T03:00:00.000Z',
  '2026-10-04T15:00:00.000Z',
  '2026-12-31T23:59:59.999Z',
  '2027-01-01T00:00:00.000Z',
  '2028-03-01T00:00:00.000Z',
  '2026-11-16T00:00:00.000Z',
  '2026-11-20T12:00:00.000Z',
] as const;

const scenario = fc
  .record({
    now: fc.constantFrom(...nows).map((text) => new Date(text)),
    timeZone: fc.constantFrom(...zones),
  })
  .chain(({ now, timeZone }) =>
    fc.record({
      now: fc.constant(now),
      timeZone: fc.constant(timeZone),
      meetings: fc.tuple(
        ...Array.from({ length: MEETINGS }, (_, index) => meeting(index + 1, { now, timeZone })),
      ),
      places: fc.array(
        fc.record({
          meetingId: fc.integer({ min: 1, max: MEETINGS }),
          kind: fc.constantFrom('registered', 'waiting', 'both'),
          status: fc.constantFrom('waiting', 'accepted', 'rejected', 'offered', 'expired'),
        }),
        { maxLength: MEETINGS },
      ),
      exports: fc.array(exportParameters({ now }), { minLength: 4, maxLength: 8 }),
      perPage: fc.integer({ min: 1, max: 12 }),
    }),
  );

for (const database of databaseKinds) {
  describe(`Over ${database}, with random meetings at the edges of every preset`, () => {
    test('export and upcoming lists agree with a naive reading of the rules', async () => {
      const service = await startTestService({ database });
      const organizations: readonly Organization[] = [1, 2, 3].map((id) => ({
        id,
        name: `Organization ${id}`,
        eap: id !== 2,
        timeZone: null,
        accessKeyGeneration: 0,
        previousAccessKey: null,
      }));
      await service.load({ organizations: organizations.map(({ id, eap }) => anOrganization(id, { eap })) });
      let userId = 100;
      try {
        await fc.assert(
          fc.asyncProperty(scenario, async ({ now, timeZone, meetings, places, exports, perPage }) => {
            service.clock.set(now);
            // A new user for each run, so that no place of an earlier run counts.
            userId += 1;
            const registrations = placesOf(places, userId, 'registered');
            const waitingPlaces = placesOf(places, userId, 'waiting');
            await service.load({
              users: [aUser(userId)],
              memberships: organizations.map(({ id }) => ({
                organizationId: id,
                userId,
                role: 'member',
                idpId: `idp-${userId}`,
              })),
              meetings,
              registrations,
              waitingPlaces,
            });

            for (const organization of organizations) {
              for (const parameters of exports) {
                const request = { organization, columns: ['name'], timeZone, ...parameters };
                const expected = naiveExport(meetings, { organization, timeZone, now, ...parameters });
                const exported = await service.core.exportMeetings(request);
                assert.deepEqual(await idsOf(exported.chunks), expected);

                const page = await service.core.exportMeetings({ ...request, page: 2, perPage });
                assert.equal(page.metadata?.totalCount, expected.length);
                assert.deepEqual(await idsOf(page.chunks), expected.slice(perPage, 2 * perPage));
              }

              const query = { organizationId: organization.id, userId, now, registrations, waitingPlaces };
              const upcoming = naiveUpcoming(meetings, query);
              for (const items of [100, perPage]) {
                for (let page = 1; page <= Math.ceil(upcoming.length / items) + 1; page += 1) {
                  const idpId = `idp-${userId}`;
                  const list = await service.core.listUpcomingMeetings({ organization, idpId, page, items });
                  assert.deepEqual(
                    [list.totalItems, ...list.meetings.map(placeOf)],
                    [upcoming.length, ...upcoming.slice((page - 1) * items, page * items)],
                  );
                }
              }
            }
          }),
          { numRuns: RUNS },
        );
      } finally {
        await service.stop();
      }
    });
  });
}

function placeOf({ id, waitingStatus, registeredAt }: UpcomingMeeting) {
  return [id, waitingStatus, registeredAt !== null];
}

function meeting(
  id: number,
  { now, timeZone }: { readonly now: Date; readonly timeZone: string },
): fc.Arbitrary<DatasetMeeting> {
  const edges = presets.flatMap((preset) => {
    const { from, before } = presetRange(preset, { now, timeZone });
    return [from, before].filter((edge) => edge !== null).map((edge) => edge.getTime());
  });
  const start = fc.oneof(
    fc.tuple(fc.constantFrom(...edges, now.getTime()), fc.constantFrom(-MINUTE_MS, -1, 0, 1, MINUTE_MS)),
    fc.tuple(
      fc.constant(now.getTime()),
      fc.integer({ min: -60 * 1440, max: 60 * 1440 }).map((by) => by * MINUTE_MS),
    ),
  );
  const owner = fc.constantFrom<Partial<DatasetMeeting>>(
    { organizationId: 1 },
    { organizationId: 1 },
    { organizationId: 2 },
    { organizationId: null, eapOrganizationIds: [] },
    { organizationId: null, eapOrganizationIds: [1] },
    { organizationId: null, eapOrganizationIds: [2, 3] },
  );
  return fc
    .record({
      owner,
      start: start.map(([time, by]) => time + by),
      length: fc.constantFrom(0, 1, MINUTE_MS, 60 * MINUTE_MS, 48 * 60 * MINUTE_MS),
      status: fc.constantFrom('complete', 'cancel', 'scheduled', 'in_progress'),
      eap: fc.boolean(),
      waitList: fc.boolean(),
    })
    .map(({ owner: of, start: from, length, ...rest }) =>
      aMeeting(id, {
        eapOrganizationIds: [],
        ...of,
        ...rest,
        startTime: new Date(from),
        endTime: new Date(from + length),
      }),
    );
}

function exportParameters({ now }: { readonly now: Date }) {
  const local = fc.integer({ min: -3 * 1440, max: 3 * 1440 }).map((minutes) => customTime(now, minutes));
  const common = { reportType: fc.constantFrom('all_meetings', 'eap_meetings') };
  return fc.oneof(
    fc.record({
      ...common,
      reportingDays: fc.constantFrom(...presets.filter((preset) => preset !== 'custom')),
    }),
    fc.record({ ...common, reportingDays: fc.constantFrom(...presets), startTime: local, endTime: local }),
  );
}

/** The time in UTC, the given number of minutes from now, as `MM/DD/YYYY HH:MM AM/PM`. */
function customTime(now: Date, minutes: number): string {
  const iso = new Date(now.getTime() + minutes * MINUTE_MS).toISOString();
  const hour = Number(iso.slice(11, 13));
  const clock = `${String(hour % 12 === 0 ? 12 : hour % 12).padStart(2, '0')}:${iso.slice(14, 16)}`;
  return `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)} ${clock} ${hour < 12 ? 'AM' : 'PM'}`;
}

function placesOf(
  places: readonly {
    readonly meetingId: number;
    readonly kind: string;
    readonly status: DatasetWaitingPlace['status'];
  }[],
  userId: number,
  wanted: 'registered' | 'waiting',
): readonly (DatasetRegistration & DatasetWaitingPlace)[] {
  const time = new Date('2026-01-01T00:00:00.000Z');
  const chosen = new Map(
    places
      .filter(({ kind }) => kind === wanted || kind === 'both')
      .map(({ meetingId, status }) => [
        meetingId,
        { meetingId, userId, status, registeredAt: time, createdAt: time },
      ]),
  );
  return [...chosen.values()];
}

async function idsOf(chunks: AsyncIterable<Uint8Array>): Promise<readonly number[]> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const rows: readonly { readonly name: string }[] = JSON.parse(`[${Buffer.concat(parts).toString()}]`);
  return rows.map(({ name }) => Number(name.slice('Meeting '.length)));
}
