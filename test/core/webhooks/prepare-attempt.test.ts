import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Outbox, type Secret, Unavailable } from '@rollcall/core';
import { isSurelyHeld } from '#core/webhooks/prepare-attempt.js';
import {
  configure,
  deliver,
  deliveriesTest,
  deliveryLog,
  register,
} from '../../support/core/deliveries-service.js';
import { organization } from '../../support/core/organization.js';
import { enabled, refusedAs, startWithWebhook } from '../../support/core/webhook-core.js';
import type { TestService } from '../../support/test-service.js';

type Started = Awaited<ReturnType<typeof startWithWebhook>>;

/** Does something in the middle of the first call of `webhooks.of`, which comes between a claim and its attempt. */
function duringFirstRead(
  { ports: { webhooks } }: Pick<TestService, 'ports'>,
  work: () => Promise<void>,
): void {
  const { of: right } = webhooks;
  Object.assign(webhooks, {
    async of(organizationId: number) {
      Object.assign(webhooks, { of: right });
      const webhook = await right(organizationId);
      await work();
      return webhook;
    },
  });
}

/** Records the renewals. `answer` gets the number of each, from 1, and may throw. */
function recordRenewals(
  { ports: { outbox } }: Started,
  answer: (number: number) => void = () => {},
): readonly Parameters<Outbox['renew']>[0][] {
  const renewals: Parameters<Outbox['renew']>[0][] = [];
  const { renew } = outbox;
  Object.assign(outbox, {
    async renew(request: Parameters<Outbox['renew']>[0]) {
      renewals.push(request);
      answer(renewals.length);
      return renew(request);
    },
  });
  return renewals;
}

describe('A process that was frozen between a claim and its attempt', () => {
  deliveriesTest('sends and records nothing if another one has sent the event meanwhile', async (service) => {
    await configure(service);
    await register(service);
    duringFirstRead(service, async () => {
      service.clock.advance(61_000);
      await service.core.recoverDeliveries({ olderThanMs: null });
      const [report] = await deliver(service);
      assert.equal(report?.state, 'delivered');
    });
    const [report] = await deliver(service);
    const [delivery] = await deliveryLog(service);
    assert.deepEqual(report, {
      deliveryId: delivery?.id,
      eventId: delivery?.eventId,
      organizationId: 1,
      state: 'taken-over',
      attempt: null,
      error: null,
      notice: null,
    });
    assert.equal(service.webhookSender.sent.length, 1);
    assert.deepEqual(
      [delivery?.state, delivery?.attempts.map(({ outcome }) => outcome)],
      ['delivered', ['interrupted', 'delivered']],
    );
  });

  deliveriesTest('leaves a delivery that waits again, or is held', async (service) => {
    await configure(service);
    for (const [email, takeAway, state] of [
      ['one@example.test', () => service.core.recoverDeliveries({ olderThanMs: null }), 'pending'],
      ['two@example.test', () => service.ports.outbox.hold(), 'held'],
    ] as const) {
      await register(service, email);
      duringFirstRead(service, async () => {
        service.clock.advance(61_000);
        await takeAway();
      });
      const reports = await Promise.all(await service.core.deliverWebhooks({ limit: 1 }));
      assert.deepEqual(
        reports.map((report) => report.state),
        ['taken-over'],
      );
      assert.equal((await deliveryLog(service))[0]?.state, state);
      await service.ports.outbox.hold();
    }
    assert.deepEqual(service.webhookSender.sent, []);
  });

  deliveriesTest('sends the event itself if no other one has taken it over', async (service) => {
    await configure(service);
    await register(service);
    duringFirstRead(service, async () => {
      service.clock.advance(61_000);
      await configure(service, { ...enabled, url: 'https://moved.test/' });
    });
    const [report] = await deliver(service);
    assert.equal(report?.state, 'delivered');
    assert.deepEqual(report.attempt?.startedAt, service.clock.now());
    // The webhook is as it is at the time of the attempt, not as it was before the freeze.
    assert.deepEqual(
      service.webhookSender.sent.map(({ url }) => url),
      ['https://moved.test/'],
    );
  });
});

describe('A claim', () => {
  test('counts as held for 30 s, unless the clock was set back', () => {
    const heldAt = new Date('2026-11-20T12:00:00.000Z');
    const after = (milliseconds: number) =>
      isSurelyHeld({ heldAt, now: new Date(heldAt.getTime() + milliseconds) });
    assert.deepEqual([0, 30_000, 30_001, 3_600_000, -1].map(after), [true, true, false, false, false]);
  });

  test('is renewed only for an attempt that could not begin within 30 s', async () => {
    for (const [passed, expected] of [
      [30_000, 0],
      [30_001, 1],
    ] as const) {
      const started = await startWithWebhook();
      await started.register(1);
      const renewals = recordRenewals(started);
      const claimedAt = started.clock.now();
      duringFirstRead(started, async () => started.clock.advance(passed));
      const [report] = await started.deliver();
      assert.deepEqual([report?.state, renewals.length], ['delivered', expected]);
      for (const { at } of renewals) assert.equal(at.getTime() - claimedAt.getTime(), passed);
    }
  });

  test('is renewed again if renewing took long, or had to wait for the database', async () => {
    const started = await startWithWebhook();
    await started.register(1);
    const renewals = recordRenewals(started, (number) => {
      if (number === 1) started.clock.advance(31_000);
      if (number === 3) throw new Unavailable('The database is unavailable');
    });
    const start = started.clock.now().getTime();
    duringFirstRead(started, async () => started.clock.advance(31_000));
    const [report] = await started.deliver();
    assert.equal(report?.state, 'delivered');
    assert.deepEqual(
      renewals.map(({ at }) => at.getTime() - start),
      [31_000, 62_000],
    );
    assert.equal(started.sent().length, 1);
  });

  test('is renewed as soon as the database is available, and nothing is sent before', async () => {
    const started = await startWithWebhook();
    await started.register(1);
    const renewals = recordRenewals(started, (number) => {
      assert.equal(started.sent().length, 0);
      if (number < 4) throw new Unavailable('The database is unavailable');
    });
    duringFirstRead(started, async () => started.clock.advance(31_000));
    const [report] = await started.deliver();
    assert.deepEqual([report?.state, renewals.length], ['delivered', 4]);
    assert.equal(started.sent().length, 1);
  });
});

/** Does something after a test is stored and before it is sent. */
function afterStart({ ports: { outbox } }: Started, work: () => Promise<unknown>): void {
  const { startTest } = outbox;
  Object.assign(outbox, {
    async startTest(...request: Parameters<typeof startTest>) {
      const delivery = await startTest(...request);
      await work();
      return delivery;
    },
  });
}

describe('A test of the webhook whose process was frozen after it was stored', () => {
  test('is sent if no other instance has taken it over', async () => {
    for (const [passed, expected] of [
      [30_000, []],
      [30_001, [30_001]],
    ] as const) {
      const started = await startWithWebhook();
      const renewals = recordRenewals(started);
      afterStart(started, async () => started.clock.advance(passed));
      const start = started.clock.now().getTime();
      const { state } = await started.core.testWebhook({ organization });
      assert.deepEqual([state, started.sent().length], ['delivered', 1]);
      assert.deepEqual(
        renewals.map(({ at }) => at.getTime() - start),
        expected,
      );
    }
  });

  test('is sent once if another instance has sent it', async () => {
    const started = await startWithWebhook();
    afterStart(started, async () => {
      started.clock.advance(61_000);
      await started.core.recoverDeliveries({ olderThanMs: 60_000 });
      await started.deliver();
    });
    const takenOver = refusedAs('webhook-test-under-way', /^Another instance has taken this test over$/);
    await assert.rejects(started.core.testWebhook({ organization }), takenOver);
    assert.equal(started.sent().length, 1);
    const [delivery] = await started.ports.deliveries.list({ organizationId: 1, limit: 10 });
    assert.deepEqual(
      delivery?.attempts.map(({ outcome }) => outcome),
      ['interrupted', 'delivered'],
    );
  });
});

describe('A test of the webhook that is stored while the webhook changes', () => {
  test('is sent to the new URL and signed with the new secret', async () => {
    const started = await startWithWebhook();
    const url = 'https://new.partner.test/hooks';
    const secrets: (Secret | null)[] = [];
    afterStart(started, async () => {
      const webhook = { enabled: true, url };
      const change = { organization, how: 'change', webhook, regenerateSecret: 1 } as const;
      secrets.push((await started.core.configureWebhook(change)).secret);
    });
    await started.core.testWebhook({ organization });
    const [request, ...others] = started.sent();
    assert.deepEqual([request?.url, others], [url, []]);
    assert.match(
      request?.headers['webhook-signature'] ?? '',
      new RegExp(`signed with the bytes of ${secrets[0]?.reveal()}$`),
    );
  });

  test('is skipped if the URL is removed', async () => {
    const started = await startWithWebhook();
    afterStart(started, () =>
      started.core.configureWebhook({ organization, how: 'change', webhook: { enabled: false, url: '' } }),
    );
    const { state, attempt } = await started.core.testWebhook({ organization });
    assert.deepEqual([state, attempt, started.sent().length], ['skipped', null, 0]);
    const [delivery] = await started.ports.deliveries.list({ organizationId: 1, limit: 10 });
    assert.equal(delivery?.state, 'skipped');
  });

  test('tells the caller if the database goes away, and is sent when it is back', async () => {
    const started = await startWithWebhook();
    const { webhooks } = started.ports;
    const { of: right } = webhooks;
    let asked = 0;
    afterStart(started, async () => {
      Object.assign(webhooks, {
        async of(organizationId: number) {
          asked += 1;
          if (asked < 4) throw new Unavailable('The database is unavailable');
          return right(organizationId);
        },
      });
    });
    await assert.rejects(started.core.testWebhook({ organization }), Unavailable);
    while (started.sent().length === 0) await new Promise(setImmediate);
    const [delivery] = await started.ports.deliveries.list({ organizationId: 1, limit: 10 });
    assert.deepEqual([delivery?.state, delivery?.attempts.length, asked], ['delivered', 1, 4]);
  });
});
