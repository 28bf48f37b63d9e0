import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localText, parseTimestamp } from '#adapters/express/pages/design/times.js';

const at = (text: string, zone: string): string | undefined => parseTimestamp(text, zone)?.toISOString();

describe('A field for a time', () => {
  test('is read in its zone, in summer and in winter', () => {
    assert.equal(at('2026-11-20T18:00', 'UTC'), '2026-11-20T18:00:00.000Z');
    assert.equal(at('2026-11-20T18:00', 'Europe/Berlin'), '2026-11-20T17:00:00.000Z');
    assert.equal(at('2026-07-20T18:00', 'Europe/Berlin'), '2026-07-20T16:00:00.000Z');
    assert.equal(at('2026-11-20T18:00', 'America/New_York'), '2026-11-20T23:00:00.000Z');
    assert.equal(at('2026-11-20T18:00', 'Pacific/Kiritimati'), '2026-11-20T04:00:00.000Z');
    assert.equal(at('2026-11-20T18:00', 'Asia/Kathmandu'), '2026-11-20T12:15:00.000Z');
    assert.equal(at('2026-11-20T18:00:30', 'UTC'), '2026-11-20T18:00:30.000Z');
    assert.equal(at('2026-11-20T18:00:59', 'Asia/Kathmandu'), '2026-11-20T12:15:59.000Z');
  });

  test('is the first of a repeated hour, and a time in a skipped hour is moved forward', () => {
    assert.equal(at('2026-10-25T02:30', 'Europe/Berlin'), '2026-10-25T00:30:00.000Z');
    assert.equal(at('2026-03-29T02:30', 'Europe/Berlin'), '2026-03-29T01:30:00.000Z');
    assert.equal(at('2026-03-29T01:59', 'Europe/Berlin'), '2026-03-29T00:59:00.000Z');
    assert.equal(at('2026-03-29T03:00', 'Europe/Berlin'), '2026-03-29T01:00:00.000Z');
    assert.equal(at('2026-10-25T03:00', 'Europe/Berlin'), '2026-10-25T02:00:00.000Z');
    assert.equal(at('2026-11-01T01:30', 'America/New_York'), '2026-11-01T05:30:00.000Z');
  });

  test('reads back what it shows, at each hour of half a year', () => {
    for (const zone of ['Europe/Berlin', 'Australia/Lord_Howe']) {
      let differences = 0;
      const start = Date.parse('2026-01-01T00:00:00.000Z');
      for (let hour = 0; hour < 183 * 24; hour += 1) {
        const time = new Date(start + hour * 3_600_000);
        const read = parseTimestamp(localText(time, zone), zone);
        if (read?.getTime() !== time.getTime()) differences += 1;
      }
      assert.ok(differences <= 1, `${zone}: ${differences} hours are read as another time`);
    }
  });

  test('is invalid without a date and time that exist', () => {
    for (const text of [
      '',
      'soon',
      '2026-11-20',
      '2026-02-30T10:00',
      '2026-11-20T24:00',
      '2026-11-20T18:00Z',
      '2026-11-20T18:00:60',
      '2026-11-20T18:00:3',
      '2026-11-20T18:00:30Z',
    ])
      assert.equal(parseTimestamp(text, 'UTC'), null, text);
    assert.equal(parseTimestamp('12026-11-20T18:00', 'UTC'), null);
  });
});
