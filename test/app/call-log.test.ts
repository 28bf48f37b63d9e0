import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type TestContext, test } from 'node:test';
import { type ApiCall, Unavailable } from '@rollcall/core';
import { fixedClock } from '@rollcall/core/testing';
import { createLog } from '#adapters/node/system/log.js';
import { createCallLog } from '#app/call-log.js';

const now = new Date('2026-11-20T12:00:00.000Z');

function aCall(organizationId: number, requestId: string): Omit<ApiCall, 'at'> {
  return {
    ...{ organizationId, requestId, method: 'GET', operation: 'listUsers', path: '/', status: 200 },
    ...{ errorCode: null, errorText: null, milliseconds: 1 },
  };
}

/** A log of calls whose storage keeps the batches, and a clock of timers that only the test moves. */
function startCallLog(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const batches: (readonly ApiCall[])[] = [];
  const lines: unknown[] = [];
  const reports: unknown[] = [];
  let work: () => Promise<void> = async () => {};
  const log = { ...createLog({ level: 'silent' }), warn: (...line: unknown[]) => lines.push(line) };
  const callLog = createCallLog({
    apiCalls: {
      async add(calls) {
        batches.push(calls);
        await work();
      },
    },
    ...{ clock: fixedClock(now), log },
    errorTracker: { report: (error) => reports.push(error) },
  });
  const pass = async (milliseconds: number): Promise<void> => {
    t.mock.timers.tick(milliseconds);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return {
    ...{ callLog, batches, lines, reports, pass },
    /** What the storage does from now on. */
    set: (next: () => Promise<void>) => {
      work = next;
    },
  };
}

test('the calls of a second are stored together, with the time at which they ended', async (t) => {
  const { callLog, batches, pass } = startCallLog(t);
  callLog.record(aCall(1, 'one'));
  await pass(600);
  callLog.record(aCall(2, 'two'));
  await pass(399);
  assert.deepEqual(batches, []);
  await pass(1);
  assert.deepEqual(batches, [[aCall(1, 'one'), aCall(2, 'two')].map((call) => ({ ...call, at: now }))]);
  await pass(10_000);
  assert.equal(batches.length, 1, 'nothing is stored while there are no calls');
  callLog.record(aCall(1, 'three'));
  await pass(1000);
  assert.equal(batches.length, 2);
});

test('a flood of calls of one organization is cut to those that are kept, and costs the others none', async (t) => {
  const { callLog, batches, lines, pass } = startCallLog(t);
  callLog.record(aCall(2, 'other'));
  for (let number = 1; number <= 10_000; number += 1) callLog.record(aCall(1, String(number)));
  await pass(1000);
  const requestIds = batches.flat().map(({ requestId }) => requestId);
  assert.deepEqual(requestIds, ['other', ...Array.from({ length: 200 }, (_, index) => String(9801 + index))]);
  assert.deepEqual(lines, []);
});

const missing = (count: number) => [{ missing: count }, 'The lists of API calls lack calls'];

test('more calls of many organizations than there is memory for are dropped, which the log says once', async (t) => {
  const { callLog, batches, lines, pass } = startCallLog(t);
  const flood = async (count: number) => {
    for (let id = 1; id <= count; id += 1) callLog.record(aCall(id, 'call'));
    await pass(1000);
    return batches.at(-1)?.length;
  };
  assert.deepEqual([await flood(2070), await flood(2001)], [2000, 2000]);
  assert.deepEqual(lines, [missing(70)]);
  assert.deepEqual([await flood(2000), await flood(2001)], [2000, 2000]);
  assert.deepEqual(lines, [missing(70), missing(1)]);
});

test('while the database is away, calls are dropped, which the log says once', async (t) => {
  const { callLog, batches, lines, reports, pass, set } = startCallLog(t);
  set(async () => {
    throw new Unavailable('away');
  });
  for (const requestId of ['one', 'two']) {
    callLog.record(aCall(1, requestId));
    await pass(1000);
  }
  assert.deepEqual([batches.length, lines], [2, [missing(1)]]);
  set(async () => {});
  callLog.record(aCall(1, 'three'));
  await pass(1000);
  assert.deepEqual([batches.at(-1)?.length, lines.length, reports], [1, 1, []]);
});

test('a bug of the storage is reported, and the next calls are stored', async (t) => {
  const { callLog, batches, lines, reports, pass, set } = startCallLog(t);
  const bug = new Error('a bug');
  set(async () => {
    throw bug;
  });
  callLog.record(aCall(1, 'one'));
  await pass(1000);
  set(async () => {});
  callLog.record(aCall(1, 'two'));
  await pass(1000);
  assert.deepEqual([reports, lines, batches.length], [[bug], [missing(1)], 2]);
});

test('while a batch is stored slowly, no second one is, and stopping stores the rest', async (t) => {
  const { callLog, batches, pass, set } = startCallLog(t);
  let finish = (): void => {};
  set(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  callLog.record(aCall(1, 'one'));
  await pass(1000);
  callLog.record(aCall(1, 'two'));
  await pass(5000);
  assert.equal(batches.length, 1);
  const stopped = callLog.stop();
  await pass(0);
  assert.equal(batches.length, 1);
  set(async () => {});
  finish();
  await stopped;
  assert.deepEqual(
    batches.map((batch) => batch.map(({ requestId }) => requestId)),
    [['one'], ['two']],
  );
  await pass(5000);
  assert.equal(batches.length, 2);
});

test('storing has no part in the request that began the second', async (t) => {
  const { callLog, pass, set } = startCallLog(t);
  const requests = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  set(async () => {
    seen.push(requests.getStore());
  });
  requests.run('the deadline of a request', () => callLog.record(aCall(1, 'one')));
  await pass(1000);
  assert.deepEqual(seen, [undefined]);
});
