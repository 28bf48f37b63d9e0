import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseInstant } from '@rollcall/core/rules';
import { clampTimestamp } from '#core/values/timestamp.js';

describe('A time that is stored', () => {
  test('lies from the year 1 to the end of the year 9999', () => {
    const clamped = (time: string) => clampTimestamp(new Date(time)).toISOString();
    const first = '0001-01-01T00:00:00.000Z';
    const last = '9999-12-31T23:59:59.999Z';
    for (const time of [first, last, '2026-11-20T12:00:00.001Z']) assert.equal(clamped(time), time);
    assert.equal(clamped('0000-12-31T23:59:59.999Z'), first);
    assert.equal(clamped('-271821-04-20T00:00:00.000Z'), first);
    assert.equal(clamped('+010000-01-01T00:00:00.000Z'), last);
  });
});

describe('A time that is given', () => {
  test('is read with its offset from UTC', () => {
    const expected: Readonly<Record<string, string>> = {
      '2026-11-20T18:00:00.000Z': '2026-11-20T18:00:00.000Z',
      '2026-11-20T18:00Z': '2026-11-20T18:00:00.000Z',
      '2026-11-20T18:00:00+01:00': '2026-11-20T17:00:00.000Z',
      '2026-11-20T18:00:00.123456789-00:30': '2026-11-20T18:30:00.123Z',
      '2024-02-29T00:00:00Z': '2024-02-29T00:00:00.000Z',
      '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
    };
    for (const [text, time] of Object.entries(expected))
      assert.equal(parseInstant(text)?.toISOString(), time, text);
  });

  test('is null in any other form', () => {
    const wrong = [
      ...['', 'now', '2026', '2026-11-20', '2026-11-20T18:00:00', '20261120T180000Z', '1700000000'],
      ...['2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-11-20T24:00:01Z', '2026-11-20T18:61:00Z'],
      ...[
        '2026-11-20T18:00:00+24:00',
        '2026-11-20 18:00:00Z',
        '2026-11-20T18:00:00z',
        ' 2026-11-20T18:00:00Z',
      ],
      ...['2026-11-20T18:00:00Z[UTC]', '+002026-11-20T18:00:00Z', '2026-11-20T18:00:00.Z'],
    ];
    for (const text of wrong) assert.equal(parseInstant(text), null, text);
  });
});
