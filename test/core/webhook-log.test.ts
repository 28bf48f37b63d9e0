import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { type Attempt, createCore, Refusal, Unavailable } from '@rollcall/core';
import { failureNoticeThresholds } from '@rollcall/core/rules';
import { anOrganization, memoryPorts, recordingSender } from '@rollcall/core/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { databaseKinds } from '../support/storage.js';
import { startTestService, type TestService } from '../support/test-service.js';

const organization = { id: 1, name: 'Organization 1' };
const enabled = { url: 'https://partner.test/hooks', enabled: true, events: ['user.registered'] };
const disabled = { url: 'https://partner.test/hooks', enabled: false };

const answered500: Omit<Attempt, 'startedAt'> = {
  duration: 5,
  outcome: 'failed',
  phase: 'answer',
  status: 500,
  reason: 'answered 500',
};
const answered200 = { ...answered500, outcome: 'delivered', status: 200, reason: 'answered 200' } as const;

for (const database of databaseKinds) {
  describe(`A test of the webhook over ${database}`, () => {
    const serviceTest = (name: string, work: (service: TestService) => Promise<void>) =>
      test(name, async () => {
        const service = await startTestService({ database });
        try {
          await service.load({ organizations: [anOrganization(1), anOrganization(2)] });
          await work(service);
        } finally {
          await service.stop();
        }
      });

    serviceTest('is sent at once, signed, and also while the webhook is switched off', async (service) => {
      for (const webhook of [enabled, disabled]) {
        const { secret } = await service.core.configureWebhook({
          organization,
          how: 'change',
          webhook,
          regenerateSecret: 1,
        });
        const report = await service.core.testWebhook({ organization });
        assert.deepEqual(
          [report.state, report.attempt?.status, report.attempt?.reason, report.error],
          ['delivered', 200, 'answered 200', null],
        );
        const request = service.webhookSender.sent.at(-1);
        const digest = createHmac('sha256', secret?.reveal() ?? '')
          .update(request?.body ?? '')
          .digest('hex');
        assert.deepEqual(request?.headers, {
          'Content-Type': 'application/json',
          'User-Agent': 'Service Webhook',
          'X-Service-Signature': `sha256=${digest}`,
          'X-Service-Event': 'user.registered',
          'X-Service-Event-Id': report.eventId,
          'X-Service-Test': 'true',
        });
        const delivery = await service.core.readDelivery({ organization, deliveryId: report.deliveryId });
        assert.deepEqual(
          [delivery.isTest, delivery.state, delivery.body, delivery.attempts.length],
          [true, 'delivered', request?.body, 1],
        );
      }
      assert.equal(service.webhookSender.sent.length, 2);
      assert.deepEqual(await service.core.deliverWebhooks({ limit: 10 }), []);
    });

    serviceTest('can be sent again from the log, and says again that it is a test', async (service) => {
      await service.core.configureWebhook({ organization, how: 'set', webhook: disabled });
      const { deliveryId } = await service.core.testWebhook({ organization });
      await service.core.redeliver({ organization, deliveryId });
      const [report] = await Promise.all(await service.core.deliverWebhooks({ limit: 10 }));
      assert.equal(report?.state, 'delivered');
      const [first, second] = service.webhookSender.sent;
      assert.deepEqual(second, first);
    });
  });
}

describe('testWebhook', () => {
  test('tells of an invented user, as the contract says', async () => {
    const { core, sent } = await started();
    await core.testWebhook({ organization });
    const body = JSON.parse(sent()[0]?.body ?? '');
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addFormat('idn-email', true);
    const isValid = ajv.compile({
      $ref: '#/components/schemas/UserRegisteredEvent',
      components: openapi().components,
    });
    assert.equal(isValid(body), true, JSON.stringify(isValid.errors));
    assert.deepEqual(body.organization, organization);
    assert.deepEqual(body.user, {
      id: 2_147_483_647,
      uuid: '00000000-0000-4000-8000-000000000000',
      email: 'webhook-test@example.invalid',
      first_name: 'Webhook',
      last_name: 'Test',
      created_at: '2026-11-20T12:00:00.000Z',
    });
  });

  test('needs a URL, and leaves nothing behind without one', async () => {
    const { core } = await started({ webhook: null });
    const needsUrl = refusedAs('invalid-webhook', /^webhook.url is required/);
    await assert.rejects(core.testWebhook({ organization }), needsUrl);
    await core.configureWebhook({ organization, how: 'set', webhook: { enabled: false } });
    await assert.rejects(core.testWebhook({ organization }), needsUrl);
    assert.deepEqual(await core.listDeliveries({ organization }), { deliveries: [], older: null });
  });

  test('stands in the audit trail, once it is sent', async () => {
    const { core, ports } = await started();
    const by = { who: { kind: 'command-line' }, from: '192.0.2.7' } as const;
    const { eventId } = await core.testWebhook({ organization, by });
    const { entries } = await ports.auditTrail.list({ organizationId: 1, offset: 0, limit: 10 });
    assert.deepEqual(
      entries
        .filter(({ action }) => action === 'webhook-tested')
        .map(({ actor, subject }) => ({ actor, subject })),
      [{ actor: by, subject: eventId }],
    );
  });

  test('one under way at a time', async () => {
    let end = () => {};
    const { core } = await started({
      send: () =>
        new Promise((resolve) => {
          end = () => resolve(answered200);
        }),
    });
    const first = core.testWebhook({ organization });
    await new Promise(setImmediate);
    await assert.rejects(
      core.testWebhook({ organization }),
      refusedAs('webhook-test-under-way', /under way/),
    );
    end();
    assert.equal((await first).state, 'delivered');
  });

  test('ten a minute for each organization', async () => {
    const { core, sent } = await started();
    const other = { id: 2, name: 'Organization 2' };
    await core.configureWebhook({ organization: other, how: 'set', webhook: enabled });
    const refused = refusedAs(
      'too-many-requests',
      /^At most 10 tests a minute can be sent; try again in 60 s$/,
    );
    for (let at = 0; at < 10; at += 1) await core.testWebhook({ organization });
    await assert.rejects(core.testWebhook({ organization }), refused);
    assert.equal(sent().length, 10);
    assert.equal((await core.testWebhook({ organization: other })).state, 'delivered');
  });

  test('a failure is told with its reason, and neither it nor a success counts for the health', async () => {
    const answers = [answered500, answered200, answered500, answered500];
    const { core, register, deliver } = await started({ send: async () => answers.shift() ?? answered200 });
    await register(1);
    await deliver();
    const health = await core.readWebhookHealth({ organization });
    assert.equal(health.failuresInRow, 1);
    assert.equal((await core.testWebhook({ organization })).state, 'delivered');
    const failed = await core.testWebhook({ organization });
    assert.deepEqual([failed.state, failed.attempt?.reason], ['failed', 'answered 500']);
    assert.deepEqual(await core.readWebhookHealth({ organization }), health);
  });

  test('a secret that cannot be opened fails the test, and says so', async () => {
    const { core, ports, sent } = await started();
    await ports.webhooks.configure(1, (current) => {
      assert.ok(current);
      return { ...current, encryptedSecret: '2:foreign' };
    });
    const report = await core.testWebhook({ organization });
    assert.deepEqual([report.state, report.attempt?.reason], ['failed', 'the request could not be made']);
    assert.ok(report.error instanceof Error);
    assert.deepEqual(sent(), []);
    const { request, state } = await core.readDelivery({ organization, deliveryId: report.deliveryId });
    assert.deepEqual([request, state], [null, 'failed']);
  });

  test('gives the result though the database is away, which gets it once it is back', async () => {
    let away = 3;
    const { core, sent } = await started({ beforeFinish: () => --away >= 0 });
    const report = await core.testWebhook({ organization });
    assert.equal(report.state, 'delivered');
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    const { state } = await core.readDelivery({ organization, deliveryId: report.deliveryId });
    assert.deepEqual([state, sent().length], ['delivered', 1]);
  });
});

describe('readDelivery', () => {
  test('has the attempts with their numbers, and the request as it would be sent now', async () => {
    const { core, register, deliver, secretOf } = await started({ send: async () => answered500 });
    await register(1);
    await deliver();
    const [{ id: deliveryId } = { id: 0 }] = (await core.listDeliveries({ organization })).deliveries;
    await core.redeliver({ organization, deliveryId });
    await deliver();
    await core.configureWebhook({
      organization,
      how: 'change',
      webhook: { enabled: true, url: 'https://moved.test/' },
      regenerateSecret: 1,
    });

    const delivery = await core.readDelivery({ organization, deliveryId });
    const at = new Date('2026-11-20T12:00:00.000Z');
    assert.deepEqual(delivery.attempts, [
      { number: 1, startedAt: at, ...answered500 },
      { number: 2, startedAt: at, ...answered500 },
    ]);
    assert.equal(delivery.request?.url, 'https://moved.test/');
    assert.equal(delivery.request?.body, delivery.body);
    const secret = await secretOf();
    assert.equal(
      delivery.request?.headers['X-Service-Signature'],
      `sha256=${delivery.body} signed with ${secret}`,
    );
    assert.equal(delivery.request?.headers['X-Service-Test'], undefined);
  });

  test('refuses another organization’s, an unknown one and what is no id, alike', async () => {
    const { core, unasked } = await started();
    const { deliveryId } = await core.testWebhook({ organization });
    const notFound = refusedAs('delivery-not-found', /^There is no delivery/);
    await assert.rejects(core.readDelivery({ organization: { id: 2 }, deliveryId }), notFound);
    await assert.rejects(core.readDelivery({ organization, deliveryId: deliveryId + 1 }), notFound);
    await assert.rejects(core.redeliver({ organization, deliveryId: deliveryId + 1 }), notFound);
    for (const wrong of [0, -1, 1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY]) {
      await assert.rejects(unasked.readDelivery({ organization, deliveryId: wrong }), notFound);
      await assert.rejects(unasked.redeliver({ organization, deliveryId: wrong }), notFound);
    }
    await assert.rejects(core.redeliver({ organization: { id: 2 }, deliveryId }), notFound);
  });
});

describe('listDeliveries', () => {
  test('gives page after page until there is none, and begins anew with nonsense', async () => {
    const { core, register } = await started();
    for (let number = 1; number <= 6; number += 1) await register(number);
    const page = async (olderThan: string | null) =>
      core.listDeliveries({ organization, olderThan, limit: 2 });
    const first = await page(null);
    const second = await page(first.older);
    const third = await page(second.older);
    assert.deepEqual(
      [first, second, third].map(({ deliveries }) => deliveries.length),
      [2, 2, 2],
    );
    assert.equal(third.older, null);
    const all = [first, second, third].flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
    assert.equal(new Set(all).size, 6);
    for (const nonsense of ['', 'x', '1', '-', '1-', "1-1'", '1-99999999999999999', `${'9'.repeat(16)}-1`]) {
      assert.deepEqual(await page(nonsense), first);
    }
    assert.equal((await page('999999999999999-9007199254740991')).deliveries.length, 2);
  });

  test('finds one event by its id in any case, and nothing by what is none, of which no database is asked', async () => {
    const { core, unasked } = await started();
    const { eventId } = await core.testWebhook({ organization });
    const ids = async (asked: string) =>
      (await core.listDeliveries({ organization, eventId: asked })).deliveries.map((one) => one.eventId);
    assert.deepEqual(await ids(eventId.toUpperCase()), [eventId]);
    for (const none of ['', 'x', `${eventId} `, "'"]) {
      assert.deepEqual(await ids(none), []);
      assert.deepEqual((await unasked.listDeliveries({ organization, eventId: none })).deliveries, []);
    }
  });

  test('keeps to tests or leaves them out, and takes moments that no database holds', async () => {
    const { core, register } = await started();
    await register(1);
    await core.testWebhook({ organization });
    const tests = async (isTest: boolean | undefined) =>
      (await core.listDeliveries({ organization, isTest })).deliveries.map((one) => one.isTest);
    assert.deepEqual([await tests(true), await tests(false)], [[true], [false]]);
    assert.equal((await tests(undefined)).length, 2);
    const { deliveries } = await core.listDeliveries({
      organization,
      since: new Date(-8.64e15),
      until: new Date(8.64e15),
    });
    assert.equal(deliveries.length, 2);
    assert.equal(await core.redeliverFailed({ organization, since: new Date(8.64e15) }), 0);
  });
});

describe('A webhook that keeps failing', () => {
  test('is noticed at growing distances until the last notice, and anew after a success', async () => {
    let answer: Omit<Attempt, 'startedAt'> = answered500;
    const { core, register, deliver } = await started({ send: async () => answer, webhookFailureNotice: 7 });
    const notices = [];
    for (let number = 1; number <= 10; number += 1) {
      await register(number);
      notices.push((await deliver()).map(({ notice }) => notice && [notice.failuresInRow, notice.isLast]));
    }
    const at = (count: number, isLast = false) => [[count, isLast]];
    assert.deepEqual(notices, [
      at(1),
      at(2),
      [null],
      [null],
      at(5),
      [null],
      at(7, true),
      [null],
      [null],
      [null],
    ]);
    const failing = await core.readWebhookHealth({ organization });
    assert.deepEqual([failing.failuresInRow, failing.lastDeliveredAt], [10, null]);
    assert.ok(failing.failingSince);
    assert.equal((await core.readWebhook({ organization }))?.enabled, true);

    answer = answered200;
    await register(11);
    assert.deepEqual(
      (await deliver()).map(({ notice }) => notice),
      [null],
    );
    assert.equal((await core.readWebhookHealth({ organization })).failuresInRow, 0);
    answer = answered500;
    await register(12);
    assert.equal((await deliver())[0]?.notice?.failuresInRow, 1);
  });

  test('steps lead up to the last one, and 0 has none', () => {
    assert.deepEqual(failureNoticeThresholds(20), [1, 2, 5, 10, 20]);
    assert.deepEqual(failureNoticeThresholds(120), [1, 2, 5, 10, 20, 50, 100, 120]);
    assert.deepEqual(failureNoticeThresholds(1), [1]);
    assert.deepEqual(failureNoticeThresholds(0), []);
  });
});

interface Given {
  readonly webhook?: unknown;
  readonly send?: () => Promise<Omit<Attempt, 'startedAt'>>;
  readonly webhookFailureNotice?: number;
  /** True: the database is away. */
  readonly beforeFinish?: () => boolean;
}

async function started({
  webhook = enabled,
  send = async () => answered200,
  webhookFailureNotice = 20,
  beforeFinish = () => false,
}: Given = {}) {
  const recorder = recordingSender();
  const { ports: memory, load } = memoryPorts();
  const { finish } = memory.outbox;
  const ports = {
    ...memory,
    outbox: {
      ...memory.outbox,
      finish: async (result: Parameters<typeof finish>[0]) => {
        if (beforeFinish()) throw new Unavailable('The database is away');
        return finish(result);
      },
    },
    webhookSender: {
      async send(request: Parameters<typeof recorder.send>[0]) {
        await recorder.send(request);
        return send();
      },
    },
  };
  await load({ organizations: [anOrganization(1), anOrganization(2)] });
  const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
  const core = createCore(ports, { links, webhookFailureNotice });
  if (webhook !== null) await core.configureWebhook({ organization, how: 'set', webhook });
  const asked = async () => assert.fail('the database was asked');
  const deliveries = { ...ports.deliveries, find: asked, list: asked, redeliver: asked };
  return {
    core,
    /** The same without anything that could find a delivery. */
    unasked: createCore({ ...ports, deliveries }, { links }),
    ports,
    sent: () => recorder.sent,
    register: (number: number) =>
      core.registerUser({
        organizationId: 1,
        email: `person-${number}@example.test`,
        firstName: 'New',
        lastName: 'Person',
      }),
    deliver: async () => Promise.all(await core.deliverWebhooks({ limit: 1 })),
    secretOf: async () => {
      const stored = await ports.webhooks.of(1);
      return ports.secrets.decrypt({ encrypted: stored?.encryptedSecret ?? '', organizationId: 1 }).reveal();
    },
  };
}

function refusedAs(code: string, message: RegExp) {
  return (error: unknown) => error instanceof Refusal && error.code === code && message.test(error.message);
}
