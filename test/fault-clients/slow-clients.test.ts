import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { brokenPromises, type SlowClientsReport, slowClients } from '../soak/slow-clients.js';
import { slowness } from '../support/slowness.js';

/** Other test files run at the same time. The soak, which runs alone, checks the promised 100 ms. */
const request = { count: 100, unread: 3, maxP99Ms: 1_000 } as const;

/** The server's connections are counted in /proc, which only Linux has. */
const skip = existsSync('/proc/self/fd') ? false : 'there is no /proc here';

test('a hundred slow heads, a hundred slow bodies and unread exports do not affect other clients', {
  skip,
}, async () => {
  const slow = slowness();
  const report = await slowClients(request);
  const onThisMachine = request.maxP99Ms * Math.max(slow, slowness());
  // On a busy machine others were slow before, too.
  const allowed = { ...request, maxP99Ms: Math.max(onThisMachine, 3 * report.ordinary.before.p99) };
  assert.deepEqual(brokenPromises(report, allowed), [], JSON.stringify(report, null, 2));
});

test('every broken promise is reported', () => {
  const requests = { statuses: { 200: 500 }, p50: 1, p99: 5, max: 10, late: 2 };
  const keptReport: SlowClientsReport = {
    heads: { statuses: { 408: 100 }, first: 5_001, last: 6_500 },
    bodies: { statuses: { 408: 100 }, first: 10_001, last: 11_500 },
    unread: { statuses: { 200: 3 }, cutOff: 3, closedAfter: 60_500 },
    ordinary: { before: requests, meanwhile: requests, after: requests },
    memory: { before: 130, max: 190 },
    sockets: { before: 4, after: 4 },
    exportAfter: { status: 200, isWhole: true },
  };
  const { before } = keptReport.ordinary;
  const shed = { ...requests, statuses: { 200: 499, 503: 1 } };
  const slow = { ...requests, p99: 1_020 };
  const cases: readonly (readonly [Partial<SlowClientsReport>, readonly string[]])[] = [
    [{}, []],
    [
      { heads: { statuses: { 408: 99, none: 1 }, first: 5_001, last: 6_500 } },
      ['every endless head is answered 408'],
    ],
    [
      { heads: { statuses: { 408: 100 }, first: 4_000, last: 6_500 } },
      ['endless heads are closed after 5 s'],
    ],
    [
      { heads: { statuses: { 408: 100 }, first: 5_001, last: 60_000 } },
      ['endless heads are closed after 5 s'],
    ],
    [
      { bodies: { statuses: { 503: 100 }, first: 10_001, last: 11_500 } },
      ['every endless body is answered 408'],
    ],
    [
      { bodies: { statuses: { 408: 100 }, first: 10_001, last: 60_000 } },
      ['endless bodies are closed after 10 s'],
    ],
    [
      { unread: { statuses: { 200: 3 }, cutOff: 3, closedAfter: 120_000 } },
      ['unread exports end after 60 s'],
    ],
    [{ unread: { statuses: { 200: 3 }, cutOff: 3, closedAfter: null } }, ['unread exports end after 60 s']],
    [
      { unread: { statuses: { 200: 3 }, cutOff: 2, closedAfter: 60_500 } },
      ['every export that has begun is cut off'],
    ],
    [{ ordinary: { before, meanwhile: shed, after: before } }, ['others are answered meanwhile']],
    [{ ordinary: { before, meanwhile: slow, after: before } }, ['others are answered in time meanwhile']],
    [{ ordinary: { before, meanwhile: before, after: shed } }, ['others are answered afterwards']],
    [{ ordinary: { before, meanwhile: before, after: slow } }, ['others are answered in time afterwards']],
    [{ memory: { before: 130, max: 300 } }, ['memory is bounded']],
    [{ sockets: { before: 4, after: 5 } }, ['no connection is left']],
    [{ exportAfter: { status: 200, isWhole: false } }, ['an export is whole afterwards']],
    [{ exportAfter: { status: 503, isWhole: false } }, ['an export is whole afterwards']],
  ];
  for (const [change, broken] of cases) {
    assert.deepEqual(
      brokenPromises({ ...keptReport, ...change }, { ...request, waitsForServer: true }),
      broken,
      JSON.stringify(change),
    );
  }
});
