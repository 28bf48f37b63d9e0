import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInstant } from '@rollcall/core/rules';

test('a time with its offset from UTC is read', () => {
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

test('everything else is null', () => {
  const wrong = [
    ...['', 'now', '2026', '2026-11-20', '2026-11-20T18:00:00', '20261120T180000Z', '1700000000'],
    ...['2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-11-20T24:00:01Z', '2026-11-20T18:61:00Z'],
    ...['2026-11-20T18:00:00+24:00', '2026-11-20 18:00:00Z', '2026-11-20T18:00:00z', ' 2026-11-20T18:00:00Z'],
    ...['2026-11-20T18:00:00Z[UTC]', '+002026-11-20T18:00:00Z', '2026-11-20T18:00:00.Z'],
  ];
  for (const text of wrong) assert.equal(parseInstant(text), null, text);
});
