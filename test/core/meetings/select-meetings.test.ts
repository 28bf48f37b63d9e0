import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ExportParameters, type Organization, Refusal } from '@rollcall/core';
import { selectMeetings } from '@rollcall/core/rules';
import { isInvalid, northwind } from '../../support/core/meetings-core.js';

const now = new Date('2026-11-20T12:00:00.000Z');

describe('selectMeetings', () => {
  const select = (parameters: Omit<ExportParameters, 'columns'>, given: Partial<Organization> = {}) =>
    selectMeetings({ ...northwind, ...given }, parameters, { now, reportingTimeZone: 'UTC' });

  test('without reporting_days, or with all, only completed meetings are selected', () => {
    for (const reportingDays of [undefined, '', 'all', 'all_past']) {
      assert.equal(select({ reportingDays }).state, 'past');
    }
    assert.equal(select({ reportingDays: 'all_upcoming' }).state, 'upcoming');
    assert.equal(select({ reportingDays: 'today' }).state, 'any');
  });

  test('the zone is time_zone, else the organization’s own, else the service’s', () => {
    const from = (parameters: Omit<ExportParameters, 'columns'>, timeZone: string | null) =>
      select({ reportingDays: 'today', ...parameters }, { timeZone }).starts.from?.toISOString();
    assert.equal(from({}, null), '2026-11-20T00:00:00.000Z');
    assert.equal(from({}, 'Asia/Tokyo'), '2026-11-19T15:00:00.000Z');
    assert.equal(from({ timeZone: 'America/New_York' }, 'Asia/Tokyo'), '2026-11-20T05:00:00.000Z');
  });

  test('service meetings need an organization with a program, and eap_meetings selects marked meetings only', () => {
    assert.equal(select({}).withServiceMeetings, false);
    assert.equal(select({}, { eap: true }).withServiceMeetings, true);
    assert.equal(select({ reportType: 'eap_meetings' }).eapOnly, true);
    assert.equal(select({ reportType: 'all_meetings' }).eapOnly, false);
  });

  test('start_time or end_time alone has no effect, except with custom', () => {
    const start = '11/20/2026 06:00 PM';
    assert.deepEqual(select({ startTime: start }).starts, { from: null, before: null });
    assert.deepEqual(select({ endTime: start, startTime: '' }).starts, { from: null, before: null });
    for (const parameters of [{ startTime: start }, { endTime: start }, {}]) {
      assert.throws(
        () => select({ ...parameters, reportingDays: 'custom' }),
        (error) =>
          isInvalid(/^A custom range needs both/)(error) &&
          error instanceof Refusal &&
          error.problems.map(({ code }) => code).join() === 'range-incomplete',
      );
    }
  });

  test('start_time and end_time together are a range in the zone, and further limit a preset', () => {
    const range = { startTime: '11/20/2026 06:00 AM', endTime: '12/24/2026 06:00 PM' };
    const expected = {
      from: new Date('2026-11-19T21:00:00.000Z'),
      before: new Date('2026-12-24T09:01:00.000Z'),
    };
    for (const reportingDays of [undefined, 'custom', 'everything']) {
      assert.deepEqual(select({ ...range, reportingDays, timeZone: 'Asia/Tokyo' }).starts, expected);
    }
    // A start after the end selects nothing.
    const { from, before } = select({ startTime: range.endTime, endTime: range.startTime }).starts;
    assert.ok(from !== null && before !== null && from > before);
    assert.deepEqual(select({ ...range, reportingDays: 'current_month', timeZone: 'Asia/Tokyo' }).starts, {
      from: expected.from,
      before: new Date('2026-11-30T15:00:00.000Z'),
    });
  });

  test('everything selects meetings of every status, without bounds', () => {
    const { state, starts } = select({ reportingDays: 'everything' });
    assert.deepEqual({ state, starts }, { state: 'any', starts: { from: null, before: null } });
  });

  test('updated_since is a time with its offset, and narrows any selection', () => {
    const since = (updatedSince: string | undefined) => select({ updatedSince }).updatedSince;
    assert.deepEqual(since('2026-11-20T18:30:00.000Z'), new Date('2026-11-20T18:30:00.000Z'));
    assert.deepEqual(since('2026-11-20T19:30+01:00'), new Date('2026-11-20T18:30:00.000Z'));
    assert.deepEqual([since(undefined), since('')], [null, null]);
    assert.equal(select({ reportingDays: 'today', updatedSince: '2026-11-20T18:30:00Z' }).state, 'any');
    assert.throws(
      () => select({ updatedSince: 'yesterday' }),
      isInvalid(/^updatedSince must be an existing .* such as 2026-11-20T18:30:00.000Z$/),
    );
  });

  test('an unknown preset, report type or zone is refused by name, with the allowed values', () => {
    for (const reportingDays of ['yesterday', 'ALL', ' all', 'all_past;', '\u0001'])
      assert.throws(() => select({ reportingDays }), isInvalid(/^reportingDays .*all_upcoming, today/));
    assert.throws(() => select({ reportType: 'x' }), isInvalid(/^reportType .*all_meetings, eap_meetings/));
    assert.throws(() => select({ timeZone: 'x' }), isInvalid(/^timeZone /));
    assert.throws(() => select({ startTime: 'x' }), isInvalid(/^startTime /));
  });

  test('one refusal names every mistake', () => {
    const attempt = () =>
      select({
        reportingDays: 'x',
        reportType: 'x',
        timeZone: 'x',
        startTime: '02/30/2026 01:00 PM',
        endTime: '03/01/2026 13:00 PM',
        updatedSince: '2026-11-20',
      });
    assert.throws(
      attempt,
      (error) =>
        error instanceof Refusal &&
        error.problems.map(({ field }) => field).join() ===
          'reportingDays,reportType,timeZone,startTime,endTime,updatedSince',
    );
  });
});
