import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Preset, Refusal, type TimeRange } from '@rollcall/core';
import { parseLocalTime, presetRange } from '@rollcall/core/rules';
import { intersection } from '#core/meetings/reporting-range.js';

describe('reporting_days presets', () => {
  const range = (preset: Preset, now: string, timeZone = 'UTC') => {
    const { from, before } = presetRange(preset, { now: new Date(now), timeZone });
    return [from?.toISOString() ?? null, before?.toISOString() ?? null];
  };

  test('all, all_past, all_upcoming and custom have no bounds of their own', () => {
    for (const preset of ['all', 'all_past', 'all_upcoming', 'custom'] as const) {
      assert.deepEqual(range(preset, '2026-11-20T12:00:00Z'), [null, null]);
    }
  });

  test('a text that is not a preset throws, and the error lists the presets', () => {
    for (const bogus of ['bogus', '', 'Today', 'toString', '__proto__', undefined, null, 7]) {
      assert.throws(() => range(bogus as Preset, '2026-11-20T12:00:00Z'), {
        name: 'TypeError',
        message:
          'preset must be one of all, all_past, all_upcoming, today, current_month, last_week, last_month, custom, everything',
      });
    }
  });

  test('today is the calendar day of the zone, half-open', () => {
    assert.deepEqual(range('today', '2026-11-20T00:00:00Z'), [
      '2026-11-20T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ]);
    assert.deepEqual(range('today', '2026-11-20T23:59:59.999Z'), [
      '2026-11-20T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ]);
    assert.deepEqual(range('today', '2026-11-20T03:00:00Z', 'America/New_York'), [
      '2026-11-19T05:00:00.000Z',
      '2026-11-20T05:00:00.000Z',
    ]);
  });

  test('a day has 23 hours where the clocks go forward and 25 where they go back', () => {
    assert.deepEqual(range('today', '2026-03-29T12:00:00Z', 'Europe/Berlin'), [
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    assert.deepEqual(range('today', '2026-10-25T12:00:00Z', 'Europe/Berlin'), [
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
  });

  test('a day without a midnight starts at one o’clock', () => {
    assert.deepEqual(
      range('today', '2026-09-06T12:00:00Z', 'America/Santiago')[0],
      '2026-09-06T04:00:00.000Z',
    );
  });

  test('a day whose last minutes are repeated after midnight contains both, as its custom range does', () => {
    // At 12:01 AM of 7 November 2010, the clocks went back to 11:01 PM.
    const [from, before] = range('today', '2010-11-07T03:00:00Z', 'America/St_Johns');
    assert.deepEqual([from, before], ['2010-11-06T02:30:00.000Z', '2010-11-07T03:30:00.000Z']);
    const zone = { timeZone: 'America/St_Johns' };
    assert.deepEqual(
      parseLocalTime('11/06/2010 11:59 PM', { field: 'endTime', ...zone }).toISOString(),
      before,
    );
    assert.equal(range('today', '2010-11-07T03:30:00Z', 'America/St_Johns')[0], '2010-11-07T02:30:00.000Z');
  });

  test('last_week is Monday to Monday before the current week', () => {
    const lastWeek = ['2026-11-09T00:00:00.000Z', '2026-11-16T00:00:00.000Z'];
    assert.deepEqual(range('last_week', '2026-11-16T00:00:00Z'), lastWeek);
    assert.deepEqual(range('last_week', '2026-11-22T23:59:59Z'), lastWeek);
    assert.notDeepEqual(range('last_week', '2026-11-15T23:59:59Z'), lastWeek);
  });

  test('current_month and last_month are calendar months, across the end of a year too', () => {
    assert.deepEqual(range('current_month', '2026-12-31T23:00:00Z'), [
      '2026-12-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]);
    assert.deepEqual(range('last_month', '2027-01-31T10:00:00Z'), [
      '2026-12-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]);
    assert.deepEqual(range('last_month', '2028-03-31T10:00:00Z'), [
      '2028-02-01T00:00:00.000Z',
      '2028-03-01T00:00:00.000Z',
    ]);
  });
});

describe('start_time and end_time', () => {
  const read = (text: string, timeZone = 'UTC') =>
    parseLocalTime(text, { field: 'startTime', timeZone }).toISOString();
  const readEnd = (text: string, timeZone = 'UTC') =>
    parseLocalTime(text, { field: 'endTime', timeZone }).toISOString();

  test('MM/DD/YYYY HH:MM AM/PM is read in the zone', () => {
    assert.equal(read('11/20/2026 12:00 AM'), '2026-11-20T00:00:00.000Z');
    assert.equal(read('11/20/2026 12:30 PM'), '2026-11-20T12:30:00.000Z');
    assert.equal(read('01/01/0000 12:00 AM'), '0000-01-01T00:00:00.000Z');
    assert.equal(read('11/20/2026 01:05 PM', 'America/New_York'), '2026-11-20T18:05:00.000Z');
    assert.equal(read('02/29/2028 11:59 PM'), '2028-02-29T23:59:00.000Z');
  });

  test('the end is the end of its minute', () => {
    assert.equal(readEnd('11/20/2026 11:59 PM'), '2026-11-21T00:00:00.000Z');
    assert.equal(readEnd('11/20/2026 01:05 PM', 'America/New_York'), '2026-11-20T18:06:00.000Z');
    assert.equal(readEnd('12/31/9999 11:59 PM'), '+010000-01-01T00:00:00.000Z');
  });

  test('where the clocks show a time twice, the start is the first and the end the second', () => {
    assert.equal(read('10/25/2026 02:30 AM', 'Europe/Berlin'), '2026-10-25T00:30:00.000Z');
    assert.equal(readEnd('10/25/2026 02:30 AM', 'Europe/Berlin'), '2026-10-25T01:31:00.000Z');
    assert.equal(
      readEnd('11/01/2026 01:59 AM', 'America/New_York'),
      read('11/01/2026 02:00 AM', 'America/New_York'),
    );
    assert.equal(readEnd('10/29/2026 11:59 PM', 'Africa/Cairo'), read('10/30/2026 12:00 AM', 'Africa/Cairo'));
  });

  test('a date or time that does not exist is refused, with the field and the format', () => {
    const wrong = [
      '02/30/2026 10:00 AM',
      '02/29/2026 10:00 AM',
      '11/31/2026 10:00 AM',
      '11/20/2026 10:00 am',
      '11/1/2026 10:00 AM',
      '11/20/26 10:00 AM',
      '١١/20/2026 10:00 AM',
      '13/01/2026 10:00 AM',
      '00/10/2026 10:00 AM',
      '11/20/2026 13:00 PM',
      '11/20/2026 00:30 AM',
      '11/20/2026 10:60 AM',
      '11/20/2026 10:00',
      '11/20/2026 10:00 XM',
      '011/20/2026 10:00 AM',
      '11/020/2026 10:00 AM',
      '11/20/02026 10:00 AM',
      '11/20/2026 010:00 AM',
      '11/20/2026 10:000 AM',
      '2026-11-20T10:00:00Z',
      ' 11/20/2026 10:00 AM',
      '11/20/2026 10:00 AM\n',
      'tomorrow',
    ];
    for (const text of wrong) {
      assert.throws(
        () => read(text),
        (error) =>
          error instanceof Refusal &&
          error.code === 'invalid-request' &&
          /^startTime must be .*MM\/DD\/YYYY HH:MM AM\/PM/.test(error.message),
        text,
      );
    }
  });

  test('an explicit range and a preset together select what lies in both', () => {
    const [one, two, three] = [new Date(1), new Date(2), new Date(3)];
    const all = { from: null, before: null };
    const bounded = { from: one, before: two };
    const both = (first: TimeRange, second: TimeRange, expected: TimeRange) => {
      assert.deepEqual(intersection(first, second), expected);
      assert.deepEqual(intersection(second, first), expected);
    };
    both(all, all, all);
    both(all, bounded, bounded);
    both({ from: two, before: null }, { from: null, before: three }, { from: two, before: three });
    both({ from: two, before: three }, bounded, { from: two, before: two });
  });
});
