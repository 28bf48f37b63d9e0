import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { listUpcomingMeetings, Meetings, User } from '@rollcall/core';
import { isUpcoming } from '@rollcall/core/rules';
import {
  type Dataset,
  type DatasetMeeting,
  type DatasetMembership,
  type DatasetRegistration,
  type DatasetWaitingPlace,
  loginLinksSuite,
  meetingsSuite,
  memoryStorage,
  type StorageOf,
  storageSuites,
} from '@rollcall/core/testing';

describe('The suites over a storage that has only the method of one use-case', () => {
  const suite = [...meetingsSuite(startOwn), ...loginLinksSuite(startOwn)];

  test('run the tests that need no other method, and name what the others need', async () => {
    const tests = await Promise.all(suite.map(async (one) => ({ ...one, lacked: await one.missing() })));
    const ready = tests.filter(({ lacked }) => lacked.length === 0);
    for (const { run } of ready) await run();
    assert.deepEqual(
      ready.map(({ name }) => name),
      [
        'Meetings: placesOf returns the user’s upcoming meetings of the organization and of the service',
        'Meetings: placesOf returns waitlist places of every status, but only while the waitlist is enabled',
        'Meetings: placesOf knows a member of the organization by idpId, and no one else',
        'Meetings: placesOf returns the places and details of one page by start time and then id, and the total',
      ],
    );
    const others = tests.filter(({ lacked }) => lacked.length > 0);
    assert.equal(ready.length + others.length, suite.length);
    assert.deepEqual(
      others.find(({ name }) => name.startsWith('Meetings: placesOf returns the same as places'))?.lacked,
      ['meetings.details', 'meetings.places'],
    );
  });

  test('a test whose methods are missing fails and names them all, before it calls any', async () => {
    const redeemed = suite.find(({ name }) => name === 'LoginLinks: of 25 redemptions at once, one succeeds');
    await assert.rejects(redeemed?.run() ?? Promise.resolve(), {
      message:
        'LoginLinks: of 25 redemptions at once, one succeeds\nThe storage lacks loginLinks.redeem, loginLinks.store',
    });
  });

  test('find what is wrong with the method', async () => {
    const start = async () => {
      const { storage, ...started } = await startOwn();
      const { placesOf } = storage.meetings;
      const withoutTotal: typeof placesOf = async (member) => {
        const found = await placesOf(member);
        return found && { ...found, total: found.details.length };
      };
      return { ...started, storage: { meetings: { placesOf: withoutTotal } } };
    };
    const failed: string[] = [];
    for (const { name, run } of meetingsSuite(start).filter((one) =>
      / placesOf returns the p/.test(one.name),
    ))
      await run().catch(() => failed.push(name));
    assert.deepEqual(failed, [
      'Meetings: placesOf returns the places and details of one page by start time and then id, and the total',
    ]);
  });
});

test('every method of a storage is needed by a test, and a whole storage lacks none', async () => {
  const { load, ...storage } = memoryStorage();
  const suite = storageSuites(async () => ({ storage, load, stop: async () => {} }));
  const needed = new Set((await Promise.all(suite.map(({ needs }) => needs()))).flat());
  const methods = Object.entries(storage).flatMap(([port, own]) =>
    Object.keys(own).map((method) => `${port}.${method}`),
  );
  assert.deepEqual([...needed].sort(), methods.sort());
  assert.deepEqual((await Promise.all(suite.map(({ missing }) => missing()))).flat(), []);
});

/** The storage that `listUpcomingMeetings` needs, over arrays. */
async function startOwn() {
  const users = new Map<number | null, User>();
  const meetings = new Map<number, DatasetMeeting>();
  let memberships: readonly DatasetMembership[] = [];
  let seats: readonly DatasetRegistration[] = [];
  let waitlist: readonly DatasetWaitingPlace[] = [];

  const placesOf: Meetings['placesOf'] = async ({ organizationId, idpId, now, page }) => {
    const member = memberships.find((one) => one.organizationId === organizationId && one.idpId === idpId);
    if (member === undefined) return null;
    const upcoming = [...meetings.values()].filter(
      (meeting) => [organizationId, null].includes(meeting.organizationId) && isUpcoming(meeting, now),
    );
    const own = ({ userId }: { readonly userId: number }) => userId === member.userId;
    const registered = upcoming.flatMap(({ id, startTime }) =>
      seats
        .filter((seat) => own(seat) && seat.meetingId === id)
        .map(({ registeredAt }) => ({ meetingId: id, startTime, registeredAt })),
    );
    const waiting = upcoming.flatMap(({ id, startTime, waitList }) =>
      waitlist
        .filter((place) => waitList && own(place) && place.meetingId === id)
        .map(({ status }) => ({ meetingId: id, startTime, status })),
    );
    const ids = new Set([...registered, ...waiting].map(({ meetingId }) => meetingId));
    const listed = upcoming
      .filter(({ id }) => ids.has(id))
      .sort((one, other) => Number(one.startTime) - Number(other.startTime) || one.id - other.id);
    const shown = listed.slice(page.offset, page.offset + page.limit);
    const isShown = ({ meetingId }: { readonly meetingId: number }) =>
      shown.some(({ id }) => id === meetingId);
    return {
      registered: registered.filter(isShown),
      waiting: waiting.filter(isShown),
      total: listed.length,
      details: shown.map((meeting) => ({
        ...meeting,
        groupLeader: users.get(meeting.groupLeaderId) ?? null,
        showsNames: !meeting.privacy,
        registeredAttendees: seats.filter(({ meetingId }) => meetingId === meeting.id).length,
      })),
    };
  };
  const storage: StorageOf<typeof listUpcomingMeetings> = { meetings: { placesOf } };
  return {
    storage,
    async load(records: Dataset) {
      for (const user of records.users ?? []) users.set(user.id, user);
      for (const meeting of records.meetings ?? []) meetings.set(meeting.id, meeting);
      memberships = [...memberships, ...(records.memberships ?? [])];
      seats = [...seats, ...(records.registrations ?? [])];
      waitlist = [...waitlist, ...(records.waitingPlaces ?? [])];
    },
    stop: async () => {},
  };
}
