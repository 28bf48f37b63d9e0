import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  isCompleted,
  isSelected,
  isUpcoming,
  isWithin,
  type MeetingSelection,
  type SelectableMeeting,
} from '@rollcall/core/rules';

const now = new Date('2026-11-20T12:00:00.000Z');

describe('Which meetings count', () => {
  const meeting = (endTime: Date, status: string) => ({ endTime, status });
  const soon = new Date(now.getTime() + 1);

  test('an upcoming meeting has not ended and is neither complete nor cancelled', () => {
    assert.equal(isUpcoming(meeting(soon, 'scheduled'), now), true);
    assert.equal(isUpcoming(meeting(soon, 'anything'), now), true);
    assert.equal(isUpcoming(meeting(now, 'scheduled'), now), false);
    assert.equal(isUpcoming(meeting(soon, 'complete'), now), false);
    assert.equal(isUpcoming(meeting(soon, 'cancel'), now), false);
  });

  test('a past meeting has the status complete, whatever its time', () => {
    assert.equal(isCompleted(meeting(soon, 'complete')), true);
    assert.equal(isCompleted(meeting(now, 'scheduled')), false);
  });

  test('a range is half-open', () => {
    assert.equal(isWithin(now, { from: now, before: soon }), true);
    assert.equal(isWithin(soon, { from: now, before: soon }), false);
    assert.equal(isWithin(now, { from: soon, before: null }), false);
    assert.equal(isWithin(now, { from: null, before: null }), true);
    const before1970 = new Date('1969-12-31T00:00:00.000Z');
    assert.equal(isWithin(before1970, { from: null, before: soon }), true);
  });

  test('a selection can be limited to the program and to what was updated since a time', () => {
    const updated: SelectableMeeting = {
      organizationId: 1,
      eapOrganizationIds: [],
      eap: false,
      status: 'complete',
      startTime: now,
      endTime: soon,
      updatedAt: now,
    };
    const all: MeetingSelection = {
      organizationId: 1,
      withServiceMeetings: false,
      eapOnly: false,
      state: 'any',
      starts: { from: null, before: null },
      updatedSince: null,
      now,
    };
    const isIn = (selection: Partial<MeetingSelection>, given: Partial<SelectableMeeting> = {}) =>
      isSelected({ ...updated, ...given }, { ...all, ...selection });
    assert.deepEqual([isIn({}), isIn({}, { eap: true })], [true, true]);
    assert.deepEqual([isIn({ eapOnly: true }), isIn({ eapOnly: true }, { eap: true })], [false, true]);
    assert.deepEqual([isIn({ updatedSince: now }), isIn({ updatedSince: soon })], [true, false]);
    assert.equal(isIn({}, { updatedAt: new Date('1969-12-31T00:00:00.000Z') }), true);
  });
});
