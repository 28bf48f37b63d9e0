import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { eventName } from '#core/testing/subscribe.js';
import { deliveriesTest } from '../../support/core/deliveries-service.js';
import { organization } from '../../support/core/organization.js';
import { standardSignature } from '../../support/core/standard-signature.js';
import {
  answered200,
  answered500,
  disabled,
  enabled,
  refusedAs,
  startWithWebhook,
} from '../../support/core/webhook-core.js';

describe('A test of the webhook', () => {
  deliveriesTest('is sent at once and signed, even while the webhook is disabled', async (service) => {
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
        'X-Service-Event': eventName,
        'X-Service-Event-Id': report.eventId,
        'X-Service-Test': 'true',
        'webhook-id': report.eventId,
        'webhook-timestamp': '1795176000',
        'webhook-signature': standardSignature(request, secret),
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

  deliveriesTest('can be redelivered, and is still marked as a test', async (service) => {
    await service.core.configureWebhook({ organization, how: 'set', webhook: disabled });
    const { deliveryId } = await service.core.testWebhook({ organization });
    await service.core.redeliver({ organization, deliveryId });
    const [report] = await Promise.all(await service.core.deliverWebhooks({ limit: 10 }));
    assert.equal(report?.state, 'delivered');
    const [first, second] = service.webhookSender.sent;
    assert.deepEqual(second, first);
  });
});

describe('testWebhook', () => {
  test('sends a fictitious user that matches the schema of the contract', async () => {
    const { core, sent } = await startWithWebhook();
    await core.testWebhook({ organization });
    const body = JSON.parse(sent()[0]?.body ?? '');
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
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

  test('requires a URL, and stores nothing without one', async () => {
    const { core } = await startWithWebhook({ webhook: null });
    const needsUrl = refusedAs('invalid-webhook', /^webhook.url is required/);
    await assert.rejects(core.testWebhook({ organization }), needsUrl);
    await core.configureWebhook({ organization, how: 'set', webhook: { enabled: false } });
    await assert.rejects(core.testWebhook({ organization }), needsUrl);
    assert.deepEqual(await core.listDeliveries({ organization }), { deliveries: [], older: null });
  });

  test('is listed in the audit trail', async () => {
    const { core, ports } = await startWithWebhook();
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

  test('refuses a second test while one is under way', async () => {
    let end = () => {};
    const { core } = await startWithWebhook({
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

  test('allows ten tests a minute for each organization', async () => {
    const { core, clock, sent } = await startWithWebhook();
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
    clock.advance(59_999);
    await assert.rejects(core.testWebhook({ organization }), refusedAs('too-many-requests', / in 1 s$/));
    clock.advance(1);
    assert.equal((await core.testWebhook({ organization })).state, 'delivered');
  });

  test('reports the reason of a failure, and leaves the health of the webhook unchanged', async () => {
    const answers = [answered500, answered200, answered500, answered500];
    const { core, register, deliver } = await startWithWebhook({
      send: async () => answers.shift() ?? answered200,
    });
    await register(1);
    await deliver();
    const health = await core.readWebhookHealth({ organization });
    assert.equal(health.failuresInRow, 1);
    assert.equal((await core.testWebhook({ organization })).state, 'delivered');
    const failed = await core.testWebhook({ organization });
    assert.deepEqual([failed.state, failed.attempt?.reason], ['failed', 'answered 500']);
    assert.deepEqual(await core.readWebhookHealth({ organization }), health);
  });

  test('fails if the signing secret cannot be decrypted, and reports the error', async () => {
    const { core, ports, sent } = await startWithWebhook();
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

  test('returns the result while the database is unavailable, and stores it afterwards', async () => {
    let failuresLeft = 3;
    const { core, clock, sent } = await startWithWebhook({ beforeFinish: () => --failuresLeft >= 0 });
    const startedAt = clock.now();
    const report = await core.testWebhook({ organization });
    const { deliveryId, eventId } = report;
    assert.deepEqual(report, {
      ...{ deliveryId, eventId, organizationId: 1, state: 'delivered' },
      attempt: { startedAt, ...answered200 },
      ...{ error: null, notice: null },
    });
    for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
    const { state, finishedAt } = await core.readDelivery({ organization, deliveryId });
    assert.deepEqual([state, finishedAt, sent().length], ['delivered', clock.now(), 1]);
  });

  test('passes on a bug in storing the result, and hides one that comes after an outage', async () => {
    const bug = new Error('a bug');
    const failing = await startWithWebhook({ beforeFinish: () => bug });
    await assert.rejects(failing.core.testWebhook({ organization }), (error) => error === bug);
    const failures = [true, bug];
    const { core } = await startWithWebhook({ beforeFinish: () => failures.shift() ?? false });
    assert.equal((await core.testWebhook({ organization })).state, 'delivered');
    for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
    assert.deepEqual(failures, []);
  });
});
