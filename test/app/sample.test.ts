import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { sampleDayOf } from '#app/sample/days.js';
import { sampleDataset } from '#app/sample/sample-dataset.js';
import { sampleFacts } from '#app/sample/sample-facts.js';
import type { SampleRecord } from '#app/sample/sample-record.js';

const now = new Date('2026-11-20T12:34:56.000Z');
const locations = ['service', 'zoom'] as const;

function sample(request: { readonly now?: Date; readonly seed?: number; readonly meetings?: number } = {}) {
  return [...sampleDataset({ now, locations, ...request })];
}

function ofKind(records: readonly SampleRecord[], kind: string) {
  return records.filter((record) => record.kind === kind);
}

function valuesOf(records: readonly SampleRecord[], field: string): ReadonlySet<unknown> {
  return new Set(records.map((record) => record[field]));
}

describe('The sample data', () => {
  const records = sample();
  const meetings = ofKind(records, 'meeting');

  test('has 3 organizations, one with a program, 200 members and 2,000 meetings', () => {
    assert.deepEqual(
      ofKind(records, 'organization').map(({ eap }) => eap),
      [true, false, false],
    );
    assert.equal(valuesOf(ofKind(records, 'membership'), 'user_id').size, 200);
    assert.equal(meetings.length, 2000);
  });

  test('covers the 12 months before and after, with meetings of the first organization today', () => {
    const starts = meetings.map(({ start_time }) => String(start_time).slice(0, 10)).sort();
    assert.deepEqual([starts[0], starts.at(-1)], ['2025-11-20', '2027-11-20']);
    const today = meetings.filter(({ start_time }) => String(start_time).startsWith('2026-11-20'));
    assert.ok(today.length >= 2);
    assert.ok(today.every(({ organization_id }) => organization_id === 1));
  });

  test('has every status, type, location and kind of price', () => {
    assert.deepEqual([...valuesOf(meetings, 'status')].sort(), [
      'cancel',
      'complete',
      'rescheduled',
      'scheduled',
    ]);
    assert.deepEqual([...valuesOf(meetings, 'location')].sort(), ['service', 'zoom']);
    assert.deepEqual([...valuesOf(meetings, 'meeting_type')].sort(), [
      'Group',
      'OneToOne',
      'Webinar',
      'Workshop',
    ]);
    assert.deepEqual([...valuesOf(meetings, 'organization_id')].sort(), [1, 2, 3, null]);
    assert.ok(valuesOf(meetings, 'price').has(null) && valuesOf(meetings, 'price').has(12.5));
    assert.ok(valuesOf(meetings, 'group_leader_id').has(null));
    const waiting = valuesOf(ofKind(records, 'waitlist_entry'), 'status');
    assert.deepEqual([...waiting].sort(), ['accepted', 'expired', 'offered', 'rejected', 'waiting']);
    const counselling = meetings.filter(
      ({ eap, organization_id }) => eap === true && organization_id === null,
    );
    assert.ok(counselling.length > 100);
  });

  test('has no upcoming meeting that is complete, and none with more registrations than seats', () => {
    for (const { start_time, status } of meetings) {
      if (String(start_time) > now.toISOString()) assert.notEqual(status, 'complete');
    }
    const leaders = new Map(meetings.map(({ id, group_leader_id }) => [id, group_leader_id]));
    const taken = new Map<unknown, number>();
    for (const { meeting_id, user_id } of ofKind(records, 'registration')) {
      if (user_id === leaders.get(meeting_id)) continue;
      taken.set(meeting_id, (taken.get(meeting_id) ?? 0) + 1);
    }
    for (const { id, max_attendees, group_leader_id } of meetings) {
      // In a meeting without a leader, the former leader may still be registered.
      const seats = Number(max_attendees) + (group_leader_id === null ? 1 : 0);
      assert.ok((taken.get(id) ?? 0) <= seats, `meeting ${id}`);
    }
  });

  test('has people on the waitlist of full meetings only, apart from a seat that is offered', () => {
    const withList = meetings.filter(({ wait_list }) => wait_list === true);
    const waitlists = new Set(withList.map(({ id }) => id));
    assert.ok(ofKind(records, 'waitlist_entry').every(({ meeting_id }) => waitlists.has(meeting_id)));
    const own = withList.filter(({ organization_id }) => organization_id === 1).slice(0, 100);
    for (const { id, max_attendees, group_leader_id } of own) {
      const of = (kind: string) => ofKind(records, kind).filter(({ meeting_id }) => meeting_id === id);
      const taken = of('registration').filter(({ user_id }) => user_id !== group_leader_id).length;
      const free = Number(max_attendees) - taken;
      const isOffered = of('waitlist_entry').some(({ status }) => status === 'offered');
      assert.ok(
        free <= Number(isOffered) + Number(group_leader_id === null),
        `meeting ${id} has ${free} free`,
      );
    }
  });

  test('has the end of each seat that is offered, before the meeting, and of nothing else', () => {
    const starts = new Map(meetings.map(({ id, start_time }) => [id, String(start_time)]));
    for (const { status, meeting_id, offered_until } of ofKind(records, 'waitlist_entry')) {
      const isBefore = String(offered_until) < String(starts.get(meeting_id));
      assert.equal(offered_until === undefined ? null : isBefore, status === 'offered' ? true : null);
    }
  });

  test('has long names, and names in several scripts', () => {
    const texts = [
      ...ofKind(records, 'user').map(({ first_name }) => first_name),
      ...meetings.map(({ name }) => name),
    ];
    for (const script of [
      /\p{Script=Arabic}/u,
      /\p{Script=Han}/u,
      /\p{Script=Cyrillic}/u,
      /\p{Extended_Pictographic}/u,
      /é/,
    ]) {
      assert.ok(
        texts.some((text) => script.test(String(text))),
        String(script),
      );
    }
    assert.ok(meetings.some(({ name }) => String(name).length > 100));
  });

  test('gives the member many upcoming meetings, and a waiting place in each state', () => {
    const upcoming = new Set(
      meetings
        .filter(({ end_time, status }) => String(end_time) > now.toISOString() && status === 'scheduled')
        .map(({ id }) => id),
    );
    const ofMember = records.filter(
      ({ meeting_id, user_id }) => user_id === sampleFacts.member.id && upcoming.has(meeting_id),
    );
    assert.ok(ofKind(ofMember, 'registration').length > 30);
    assert.equal(valuesOf(ofKind(ofMember, 'waitlist_entry'), 'status').size, 5);
  });

  test('is the same for the same day and seed, and differs for another seed', () => {
    assert.deepEqual(sample(), records);
    assert.notDeepEqual(sample({ seed: 2 }), records);
  });

  test('moves with the day and is otherwise the same', () => {
    const later = sample({ now: new Date('2026-12-24T01:00:00.000Z') });
    const dates = ['start_time', 'end_time', 'created_at', 'registered_at', 'offered_until'];
    const undated = (record: SampleRecord) =>
      Object.fromEntries(Object.entries(record).filter(([field]) => !dates.includes(field)));
    assert.deepEqual(later.map(undated), records.map(undated));
    const first = later.find(({ kind }) => kind === 'meeting');
    assert.equal(sampleDayOf(new Date(String(first?.start_time))).toISOString(), '2026-12-24T00:00:00.000Z');
  });

  test('can have other sizes', () => {
    assert.equal(ofKind(sample({ meetings: 10 }), 'meeting').length, 10);
    assert.equal(ofKind(sample({ meetings: 1 }), 'meeting').length, 1);
  });

  test('has access keys of 24 digits, which are masked once they are secrets', () => {
    for (const { access_key } of ofKind(records, 'organization'))
      assert.match(String(access_key), /^\d{24}$/);
    assert.equal(String(new Secret(sampleFacts.organization.accessKey)), '***');
  });
});
