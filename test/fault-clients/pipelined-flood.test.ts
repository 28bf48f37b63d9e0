import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brokenPromises,
  type PipelinedFlood,
  type PipelinedFloodReport,
  pipelinedFlood,
} from '../soak/pipelined-flood.js';

/** Other files are tested at the same time: the 250 ms themselves are held by the soak, which runs alone. */
const request: PipelinedFlood = { connections: 20, bytes: 1_000_000, seconds: 1, heap: 128, maxP99Ms: 5_000 };

test('twenty connections that send a megabyte of requests each are nothing to anybody else', async () => {
  const report = await pipelinedFlood(request);
  assert.deepEqual(brokenPromises(report, request), [], JSON.stringify(report, null, 2));
});

test('every broken promise of a flood is told', () => {
  const asked = { statuses: { 200: 100 }, p50: 2, p99: 10, max: 20 };
  const well: PipelinedFloodReport = {
    flood: { closed: 40, bytes: 1_000_000 },
    ...{ before: asked, meanwhile: asked, after: asked },
    isAlive: true,
    memory: { before: 120, max: 150 },
    lines: { floods: 11, others: 50 },
    reported: 40,
  };
  const cases: readonly (readonly [Partial<PipelinedFloodReport>, readonly string[]])[] = [
    [{}, []],
    [{ isAlive: false }, ['the process keeps running']],
    [
      { flood: { closed: 19, bytes: 0 }, lines: { floods: 1, others: 5 } },
      ['every connection of the flood is closed'],
    ],
    [{ meanwhile: { ...asked, statuses: { 200: 99, 503: 1 } } }, ['others are answered meanwhile']],
    [{ meanwhile: { ...asked, p99: 5_011 } }, ['others are answered in time meanwhile']],
    [{ after: { ...asked, statuses: {} } }, ['others are answered afterwards']],
    [{ memory: { before: 120, max: 249 } }, ['memory is bounded']],
    [{ lines: { floods: 23, others: 50 } }, ['lines about floods are bounded']],
    [{ lines: { floods: 11, others: 201 } }, ['other lines are bounded']],
    [{ reported: 0 }, ['the log reports floods']],
  ];
  for (const [change, broken] of cases) {
    const found = brokenPromises({ ...well, ...change }, request);
    assert.deepEqual(found, broken, JSON.stringify(change));
  }
});
