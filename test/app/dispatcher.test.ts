import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Core, type DeliveryReport, Unavailable } from '@rollcall/core';
import { createLog } from '#adapters/system/log.js';
import { createDispatcher } from '#app/dispatcher.js';

type Deliver = Core['deliverWebhooks'];

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly [name: string]: unknown;
}

/** A dispatcher whose log and reports are kept. */
function watched(times: { readonly recoveryIntervalMs?: number; readonly steadyAfterMs?: number } = {}) {
  const lines: Line[] = [];
  const reports: unknown[] = [];
  const log = createLog({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => lines.push(JSON.parse(line)) },
  });
  const dispatcher = createDispatcher({
    log,
    errorTracker: { report: (error) => reports.push(error) },
    ...times,
  });
  return { dispatcher, lines, reports };
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
    reason: 'nobody answers',
  },
};

/** Gives out so many deliveries in all, which end when they are told to. */
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
  test('does nothing before it is started, and polls immediately when it is', async () => {
    const { dispatcher } = watched();
    let looks = 0;
    dispatcher.wake();
    await pause(20);
    assert.equal(looks, 0);
    dispatcher.start(async () => {
      looks += 1;
      return [];
    });
    await pause(20);
    assert.equal(looks, 1);
    await dispatcher.stop();
  });

  test('looks when woken, and every second by itself', async () => {
    const { dispatcher } = watched();
    let looks = 0;
    dispatcher.start(async () => {
      looks += 1;
      return [];
    });
    await pause(20);
    dispatcher.wake();
    await pause(20);
    assert.equal(looks, 2);
    await pause(1100);
    assert.ok(looks >= 3);
    await dispatcher.stop();
    const last = looks;
    await pause(1100);
    assert.equal(looks, last);
  });

  test('has at most 64 deliveries under way, and takes up the next when one ends', async () => {
    const { dispatcher } = watched();
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

  test('stops by taking up nothing more and waiting for what is under way', async () => {
    const { dispatcher, lines } = watched();
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
    assert.equal(outbox.ends.length, 64, 'nothing more is taken up');

    outbox.ends[0]?.();
    await stopping;
    assert.equal(lines.length, 64, 'each outcome is logged before it has stopped');
  });

  test('logs a line for each delivery, a failure as a warning with all its facts', async () => {
    const { dispatcher, lines } = watched();
    const reports = [report, failedReport, { ...report, state: 'skipped', attempt: null } as const];
    dispatcher.start(async () => reports.splice(0).map((one) => Promise.resolve(one)));
    await pause(20);
    await dispatcher.stop();
    const facts = { eventId: report.eventId, deliveryId: 7, organizationId: 3 };
    assert.deepEqual(
      lines.map(({ time: _time, ...line }) => line),
      [
        {
          level: 30,
          ...facts,
          phase: 'answer',
          status: 204,
          duration: 12,
          reason: 'answered 204',
          msg: 'Delivered',
        },
        {
          level: 40,
          ...facts,
          phase: 'connect',
          status: null,
          duration: 5000,
          reason: 'nobody answers',
          msg: 'Delivery failed',
        },
        { level: 30, ...facts, msg: 'Delivery skipped: the webhook is off' },
      ],
    );
  });

  test('warns of a webhook that keeps failing, and says when that was the last time', async () => {
    const { dispatcher, lines } = watched();
    const failingSince = new Date('2026-11-20T11:00:00.000Z');
    const notices = [
      { failuresInRow: 5, failingSince, isLast: false },
      { failuresInRow: 20, failingSince, isLast: true },
    ];
    let started = false;
    dispatcher.start(async () => {
      if (started) return [];
      started = true;
      return notices.map(async (notice) => ({ ...failedReport, notice }));
    });
    await pause(20);
    await dispatcher.stop();
    const facts = { level: 40, organizationId: 3, failingSince: failingSince.toISOString() };
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
        { ...facts, failuresInRow: 5, msg: 'The webhook keeps failing' },
        {
          ...facts,
          failuresInRow: 20,
          msg: 'The webhook keeps failing: no more notices until a delivery succeeds',
        },
      ],
    );
  });

  test('survives an unavailable database, and logs the start and the end of the outage once each', async () => {
    const { dispatcher, lines, reports } = watched();
    let looks = 0;
    dispatcher.start(async () => {
      looks += 1;
      if (looks <= 3) throw new Unavailable('The database is busy.');
      return [];
    });
    for (let count = 0; count < 5; count += 1) {
      await pause(10);
      dispatcher.wake();
    }
    await pause(20);
    await dispatcher.stop();
    assert.ok(looks >= 5);
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        [40, 'The database is away: deliveries wait'],
        [30, 'The database is back: deliveries go on'],
      ],
    );
    assert.deepEqual(reports, []);
  });

  test('takes up what others left behind again and again, once the database has been there for a while', async () => {
    const { dispatcher } = watched({ recoveryIntervalMs: 20, steadyAfterMs: 200 });
    let away = false;
    let recoveries = 0;
    dispatcher.start(
      async () => {
        if (away) throw new Unavailable('The database is busy.');
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

    away = true;
    dispatcher.wake();
    await pause(20);
    const before = recoveries;
    await pause(100);
    assert.equal(recoveries, before, 'not while the database is away');
    away = false;
    dispatcher.wake();
    await pause(100);
    assert.equal(recoveries, before, 'not before known outcomes can have been written');
    await pause(300);
    assert.ok(recoveries > before);
    await dispatcher.stop();
  });

  test('takes up nothing of others while an outcome of its own waits to be written', async (context) => {
    const { dispatcher } = watched({ recoveryIntervalMs: 20, steadyAfterMs: 0 });
    const outbox = queue(1);
    let recoveries = 0;
    dispatcher.start(outbox.deliver, async () => {
      recoveries += 1;
    });
    await pause(100);
    assert.ok(recoveries > 0, 'what has just begun is being sent');
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

  test('reports a bug once while it lasts, and goes on', async () => {
    const { dispatcher, reports } = watched();
    const bug = new Error('a bug');
    let looks = 0;
    dispatcher.start(async () => {
      looks += 1;
      throw bug;
    });
    for (let count = 0; count < 3; count += 1) {
      await pause(10);
      dispatcher.wake();
    }
    await dispatcher.stop();
    assert.ok(looks >= 3);
    assert.deepEqual(reports, [bug]);
  });

  test('a delivery that breaks is reported and holds up no other', async () => {
    const { dispatcher, lines, reports } = watched();
    const bug = new Error('a bug');
    const deliveries = [Promise.reject<DeliveryReport>(bug), Promise.resolve(report)];
    dispatcher.start(async () => deliveries.splice(0));
    await pause(20);
    await dispatcher.stop();
    assert.deepEqual(reports, [bug]);
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['Delivered'],
    );
  });
});
