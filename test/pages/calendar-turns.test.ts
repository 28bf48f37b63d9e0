import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CalendarMeeting } from '@rollcall/core';
import { calendarEvents, calendarVersion } from '#adapters/express/pages/calendar/icalendar.js';

const file = {
  organization: { id: 1, name: 'Northwind' },
  pagesUrl: 'https://r.test',
  serviceName: 'Rollcall',
};
const meeting: CalendarMeeting = {
  id: 1,
  name: 'Coping with grief',
  startTime: new Date('2026-11-20T18:00:00Z'),
  endTime: new Date('2026-11-20T19:00:00Z'),
  topic: 'Grief',
  description: 'A quiet hour.\n'.repeat(1_000),
  location: 'zoom',
  groupLeader: null,
  status: 'confirmed',
  asOf: new Date('2026-11-01T00:00:00Z'),
};
const CALENDARS = 20;
const PARTS = 3;

for (const [name, read] of [
  [
    'written',
    async (parts: AsyncIterable<readonly CalendarMeeting[]>) => {
      for await (const _ of calendarEvents(file, parts));
    },
  ],
  ['compared', (parts: AsyncIterable<readonly CalendarMeeting[]>) => calendarVersion(file, parts)],
] as const) {
  test(`calendars that are ${name} at once share the turns of the event loop`, async () => {
    let turn = 0;
    const prepared: number[] = [];
    // Reading the description is where a piece is prepared.
    const watched = {
      ...meeting,
      get description() {
        prepared.push(turn);
        return meeting.description;
      },
    };
    async function* parts() {
      for (let part = 0; part < PARTS; part += 1) yield [watched];
    }
    let isRunning = true;
    const counting = (async () => {
      for (; isRunning; turn += 1) await nextTurn();
    })();
    await Promise.all(Array.from({ length: CALENDARS }, () => read(parts())));
    isRunning = false;
    await counting;
    const turns = new Set(prepared);
    assert.ok(prepared.length >= CALENDARS * PARTS);
    assert.ok(turns.size >= CALENDARS * PARTS - 1, `${turns.size} turns for ${prepared.length} pieces`);
  });
}
