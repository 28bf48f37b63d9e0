import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { createLog } from '#adapters/node/system/log.js';
import { createHistoryWatch } from '#app/history-watch.js';
import { eventually } from '../support/wait.js';

const END = { lastChangeOfMeetings: new Date(0), lastEvent: { eventId: 'kept', createdAt: new Date(1) } };

test('The log says that a standby was promoted, where its history ends, and which events were sent in vain', async () => {
  const lines: Record<string, unknown>[] = [];
  const asked: (readonly string[])[] = [];
  let timeline: string | null = '00000001';
  let isAway = true;
  const watch = createHistoryWatch({
    history: {
      timeline: async () => timeline,
      end: async () => END,
      async missing(eventIds) {
        if (isAway) throw new Unavailable('away');
        asked.push(eventIds);
        return eventIds.filter((id) => id.startsWith('lost'));
      },
    },
    log: createLog({
      ...{ level: 'info', pretty: false },
      destination: { write: (line) => lines.push(JSON.parse(line)) },
    }),
    errorTracker: { report: (error) => assert.fail(String(error)) },
    ...{ intervalMs: 5, settledMs: 5 },
  });
  for (let id = 1; id <= 5_000; id += 1) watch.noteDelivery({ eventId: `old-${id}`, state: 'delivered' });
  await watch.start();
  watch.noteDelivery({ eventId: 'kept', state: 'delivered' });
  watch.noteDelivery({ eventId: 'lost-1', state: 'delivered' });
  watch.noteDelivery({ eventId: 'lost-2', state: 'failed' });
  watch.noteDelivery({ eventId: 'lost-3', state: 'skipped' });
  for (const next of [null, '00000001', '00000002']) {
    timeline = next;
    await eventually(() => watch.counts().promotions === (next === '00000002' ? 1 : 0));
  }
  timeline = '00000001';
  await pause(30);
  timeline = '00000002';
  await pause(30);
  isAway = false;
  await eventually(() => watch.counts().lostEvents > 0);
  await watch.stop();

  assert.deepEqual(watch.counts(), { promotions: 1, lostEvents: 2 });
  const [promoted, compared, lost] = lines;
  assert.deepEqual(
    [promoted?.level, promoted?.timeline, promoted?.before, promoted?.lastEvent],
    [40, '00000002', '00000001', { eventId: 'kept', createdAt: new Date(1).toISOString() }],
  );
  assert.deepEqual([compared?.level, compared?.compared, compared?.lost], [30, 5_000, 2]);
  assert.deepEqual([lost?.level, lost?.eventIds], [40, ['lost-1', 'lost-2']]);
  assert.equal(lines.length, 3);
  assert.deepEqual([asked.length, asked[0]?.[0], asked[0]?.length], [1, 'old-4', 5_000]);
});
