import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brokenPromises,
  type PipelinedFlood,
  type PipelinedFloodReport,
  pipelinedFlood,
} from '../soak/pipelined-flood.js';

/** Other test files run at the same time. The soak, which runs alone, checks the promised 250 ms. */
const request: PipelinedFlood = { connections: 20, bytes: 1_000_000, seconds: 1, heap: 128, maxP99Ms: 5_000 };

test('twenty connections that send a megabyte of requests each do not affect other clients', async () => {
  const report = await pipelinedFlood(request);
  assert.deepEqual(brokenPromises(report, request), [], JSON.stringify(report, null, 2));
});

test('every broken promise of a flood is reported', () => {
  const requests = { statuses: { 200: 100 }, p50: 2, p99: 10, max: 20 };
  const keptReport: PipelinedFloodReport = {
    flood: { closed: 40, bytes: 1_000_000 },
    ...{ before: requests, meanwhile: requests, after: requests },
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
    [{ meanwhile: { ...requests, statuses: { 200: 99, 503: 1 } } }, ['others are answered meanwhile']],
    [{ meanwhile: { ...requests, p99: 5_011 } }, ['others are answered in time meanwhile']],
    [{ after: { ...requests, statuses: {} } }, ['others are answered afterwards']],
    [{ memory: { before: 120, max: 249 } }, ['memory is bounded']],
    [{ lines: { floods: 23, others: 50 } }, ['lines about floods are bounded']],
    [{ lines: { floods: 11, others: 201 } }, ['other lines are bounded']],
    [{ reported: 0 }, ['the log reports floods']],
  ];
  for (const [change, broken] of cases) {
    const found = brokenPromises({ ...keptReport, ...change }, request);
    assert.deepEqual(found, broken, JSON.stringify(change));
  }
});
