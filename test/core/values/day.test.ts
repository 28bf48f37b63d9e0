import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localDay, mondayOf, startOfDay } from '#core/values/day.js';

describe('A day', () => {
  test('is the one that the calendar of the zone shows', () => {
    const time = new Date('2026-11-20T23:30:00.000Z');
    assert.equal(String(localDay(time, 'UTC')), '2026-11-20');
    assert.equal(String(localDay(time, 'Europe/Berlin')), '2026-11-21');
    assert.equal(String(localDay(time, 'America/New_York')), '2026-11-20');
  });

  test('begins at its first existing time in the zone', () => {
    const start = (time: string, timeZone: string) =>
      startOfDay(localDay(new Date(time), timeZone), timeZone);
    assert.deepEqual(start('2026-11-20T12:00:00Z', 'Europe/Berlin'), new Date('2026-11-19T23:00:00Z'));
    // In 2018, São Paulo's clocks went from 23:59 to 1:00.
    assert.deepEqual(start('2018-11-04T12:00:00Z', 'America/Sao_Paulo'), new Date('2018-11-04T03:00:00Z'));
  });

  test('belongs to the week of the Monday before it, or of itself', () => {
    const monday = (day: string) => String(mondayOf(localDay(new Date(`${day}T12:00:00Z`), 'UTC')));
    assert.deepEqual(['2026-11-15', '2026-11-16', '2026-11-17', '2026-11-22', '2026-11-23'].map(monday), [
      '2026-11-09',
      '2026-11-16',
      '2026-11-16',
      '2026-11-16',
      '2026-11-23',
    ]);
  });
});
