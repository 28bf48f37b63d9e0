import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Core, type DeliveryReport, Unavailable } from '@rollcall/core';
import { createDispatcher } from '#adapters/node/deliveries/dispatcher.js';
import { recordedLog } from '../../support/recorded-log.js';

type Deliver = Core['deliverWebhooks'];

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly [name: string]: unknown;
}

/** A dispatcher, and what it logged, reported and measured. */
function recordedDispatcher(
  times: { readonly recoveryIntervalMs?: number; readonly steadyAfterMs?: number } = {},
) {
  const { log, lines } = recordedLog<Line>('debug');
  const reports: unknown[] = [];
  const measured: unknown[] = [];
  const dispatcher = createDispatcher({
    log,
    errorTracker: { report: (error) => reports.push(error) },
    observe: (delivery) => measured.push(delivery),
    ...times,
  });
  return { dispatcher, lines, reports, measured };
}

/** What a dispatcher recorded that got these deliveries. */
async function dispatched(deliveries: Awaited<ReturnType<Deliver>>) {
  const { dispatcher, ...recorded } = recordedDispatcher();
  const waiting = [...deliveries];
  dispatcher.start(async () => waiting.splice(0));
  await pause(20);
  await dispatcher.stop();
  return recorded;
}

const report: DeliveryReport = {
  deliveryId: 7,
  eventId: '00000000-0000-4000-8000-000000000007',
  organizationId: 3,
  state: 'delivered',
  attempt: {
    startedAt: new Date('2026-11-20T12:00:00.000Z'),
    duration: 12,
    outcome: 'delivered',
    phase: 'answer',
    status: 204,
    reason: 'answered 204',
    request: { url: 'https://partner.test/hooks', headers: { 'X-Secret': 'never logged' } },
    response: { headers: {}, body: 'never logged', isTruncated: false },
  },
  error: null,
  notice: null,
};

const failedReport: DeliveryReport = {
  ...report,
  state: 'failed',
  attempt: {
    startedAt: new Date(),
    duration: 5000,
    outcome: 'failed',
    phase: 'connect',
    status: null,
    reason: 'connection refused',
    request: { url: 'https://partner.test/hooks', headers: {} },
    response: null,
  },
};

/** An outbox with the given number of deliveries; each ends when the test calls its function in `ends`. */
function queue(total: number) {
  let waiting = total;
  const limits: number[] = [];
  const ends: (() => void)[] = [];
  const deliver: Deliver = async ({ limit }) => {
    limits.push(limit);
    const taken = Math.min(limit, waiting);
    waiting -= taken;
    return Array.from({ length: taken }, () => new Promise((resolve) => ends.push(() => resolve(report))));
  };
  return { deliver, limits, ends, waiting: () => waiting };
}

describe('The dispatcher', () => {
  test('polls as soon as it is started, when woken, and every second otherwise', async () => {
    const { dispatcher } = recordedDispatcher();
    let polls = 0;
    dispatcher.wake();
    await pause(20);
    assert.equal(polls, 0);
    dispatcher.start(async () => {
      polls += 1;
      return [];
    });
    await pause(20);
    assert.equal(polls, 1);
    dispatcher.wake();
    await pause(20);
    assert.equal(polls, 2);
    await pause(1100);
    assert.ok(polls >= 3);
    await dispatcher.stop();
    const last = polls;
    await pause(1100);
    assert.equal(polls, last);
  });

  test('sends at most 64 deliveries at once, and starts the next when one ends', async () => {
    const { dispatcher } = recordedDispatcher();
    const outbox = queue(70);
    dispatcher.start(outbox.deliver);
    await pause(20);
    assert.equal(outbox.waiting(), 6);
    assert.equal(outbox.ends.length, 64);
    dispatcher.wake();
    await pause(20);
    assert.equal(outbox.ends.length, 64);

    outbox.ends[0]?.();
    await pause(20);
    assert.equal(outbox.ends.length, 65);
    assert.deepEqual(outbox.limits.slice(0, 2), [64, 1]);

    const stopped = dispatcher.stop();
    for (const end of outbox.ends) end();
    await stopped;
  });

  test('starts no more deliveries when it is stopped, and waits for those in progress', async () => {
    const { dispatcher, lines } = recordedDispatcher();
    const outbox = queue(80);
    dispatcher.start(outbox.deliver);
    await pause(20);
    let stopped = false;
    const stopping = dispatcher.stop().then(() => {
      stopped = true;
    });
    for (const end of outbox.ends.slice(1)) end();
    await pause(50);
    assert.equal(stopped, false);
    assert.equal(outbox.ends.length, 64, 'no more deliveries are started');

    outbox.ends[0]?.();
    await stopping;
    assert.equal(lines.length, 64, 'each outcome is logged before the dispatcher has stopped');
  });

  test('logs a line for each delivery, as a warning with its details if it failed, and measures those of its own', async () => {
    const failure = { ...failedReport, code: 'ECONNREFUSED' };
    const skipped = { ...report, state: 'skipped', attempt: null } as const;
    const own = [report, failure, skipped];
    const takenOver = { ...skipped, state: 'taken-over', error: null, notice: null } as const;
    const { lines, measured } = await dispatched([...own, takenOver].map((one) => Promise.resolve(one)));
    const details = { eventId: report.eventId, deliveryId: 7, organizationId: 3 };
    assert.deepEqual(
      lines.map(({ time: _time, ...line }) => line),
      [
        {
          level: 30,
          ...details,
          phase: 'answer',
          status: 204,
          duration: 12,
          reason: 'answered 204',
          msg: 'Delivered',
        },
        {
          level: 40,
          ...details,
          phase: 'connect',
          status: null,
          duration: 5000,
          reason: 'connection refused',
          code: 'ECONNREFUSED',
          msg: 'Delivery failed',
        },
        { level: 30, ...details, msg: 'Delivery skipped: the webhook is off' },
        { level: 40, ...details, msg: 'Delivery not sent: another instance has taken it over' },
      ],
    );
    assert.equal(measured.length, own.length);
  });

  test('warns about a webhook that keeps failing, and says which warning is the last', async () => {
    const failingSince = new Date('2026-11-20T11:00:00.000Z');
    const notices = [
      { failuresInRow: 1, failingSince, isLast: false },
      { failuresInRow: 5, failingSince, isLast: false },
      { failuresInRow: 20, failingSince, isLast: true },
    ];
    const { lines } = await dispatched(notices.map(async (notice) => ({ ...failedReport, notice })));
    const details = { level: 40, organizationId: 3, failingSince: failingSince.toISOString() };
    assert.deepEqual(
      lines
        .filter(({ msg }) => msg.startsWith('The webhook'))
        .map(({ level, organizationId, failuresInRow, failingSince, msg }) => ({
          level,
          organizationId,
          failuresInRow,
          failingSince,
          msg,
        })),
      [
        { ...details, failuresInRow: 1, msg: 'The webhook has begun to fail' },
        { ...details, failuresInRow: 5, msg: 'The webhook keeps failing' },
        {
          ...details,
          failuresInRow: 20,
          msg: 'The webhook keeps failing: no more notices until a delivery succeeds',
        },
      ],
    );
  });

  test('survives an unavailable database, and logs the start and the end of the outage once each', async () => {
    const { dispatcher, lines, reports } = recordedDispatcher();
    let polls = 0;
    dispatcher.start(async () => {
      polls += 1;
      if (polls <= 3) throw new Unavailable('The database is busy.');
      return [];
    });
    for (let count = 0; count < 5; count += 1) {
      await pause(10);
      dispatcher.wake();
    }
    await pause(20);
    await dispatcher.stop();
    assert.ok(polls >= 5);
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        [40, 'The database is away: deliveries wait'],
        [30, 'The database is back: deliveries go on'],
      ],
    );
    assert.deepEqual(reports, []);
  });

  test('recovers interrupted deliveries periodically, once the database has been available for a while', async () => {
    const { dispatcher } = recordedDispatcher({ recoveryIntervalMs: 20, steadyAfterMs: 200 });
    let isUnavailable = false;
    let recoveries = 0;
    dispatcher.start(
      async () => {
        if (isUnavailable) throw new Unavailable('The database is busy.');
        return [];
      },
      async () => {
        recoveries += 1;
      },
    );
    await pause(120);
    assert.equal(recoveries, 0);
    await pause(250);
    assert.ok(recoveries > 1);

    isUnavailable = true;
    dispatcher.wake();
    await pause(20);
    const before = recoveries;
    await pause(100);
    assert.equal(recoveries, before, 'not while the database is unavailable');
    isUnavailable = false;
    dispatcher.wake();
    await pause(100);
    assert.equal(recoveries, before, 'not before known outcomes have had time to be written');
    await pause(300);
    assert.ok(recoveries > before);
    await dispatcher.stop();
  });

  test('recovers nothing while an outcome of its own has not been written', async (context) => {
    const { dispatcher } = recordedDispatcher({ recoveryIntervalMs: 20, steadyAfterMs: 0 });
    const outbox = queue(1);
    let recoveries = 0;
    dispatcher.start(outbox.deliver, async () => {
      recoveries += 1;
    });
    await pause(100);
    assert.ok(recoveries > 0, 'a delivery that has just begun does not count as unwritten');
    const now = performance.now.bind(performance);
    context.mock.method(performance, 'now', () => now() + 21_000);
    dispatcher.wake();
    await pause(50);
    const before = recoveries;
    await pause(100);
    assert.equal(recoveries, before);
    outbox.ends[0]?.();
    await pause(100);
    assert.ok(recoveries > before);
    await dispatcher.stop();
  });

  test('reports a repeated bug once, and continues', async () => {
    const { dispatcher, reports } = recordedDispatcher();
    const bug = new Error('a bug');
    let polls = 0;
    dispatcher.start(async () => {
      polls += 1;
      throw bug;
    });
    for (let count = 0; count < 3; count += 1) {
      await pause(10);
      dispatcher.wake();
    }
    await dispatcher.stop();
    assert.ok(polls >= 3);
    assert.deepEqual(reports, [bug]);
  });

  test('reports a delivery that throws, and completes the others', async () => {
    const bug = new Error('a bug');
    const { lines, reports } = await dispatched([
      Promise.reject<DeliveryReport>(bug),
      Promise.resolve(report),
    ]);
    assert.deepEqual(reports, [bug]);
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['Delivered'],
    );
  });
});
