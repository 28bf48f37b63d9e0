import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe } from 'node:test';
import {
  configure,
  deliver,
  deliveriesTest,
  deliveryLog,
  register,
} from '../../support/core/deliveries-service.js';
import { organization } from '../../support/core/organization.js';
import { standardSignature } from '../../support/core/standard-signature.js';
import { enabled } from '../../support/core/webhook-core.js';

describe('deliverWebhooks', () => {
  deliveriesTest(
    'sends the stored bytes once, signed with the whole secret over exactly these bytes',
    async (service) => {
      const { secret } = await configure(service);
      await register(service);
      const [report] = await deliver(service);
      assert.equal(report?.state, 'delivered');
      assert.deepEqual(await deliver(service), []);

      const [request, ...more] = service.webhookSender.sent;
      assert.equal(more.length, 0);
      const [delivery] = await deliveryLog(service);
      assert.equal(request?.body, delivery?.body);
      const digest = createHmac('sha256', secret?.reveal() ?? '')
        .update(Buffer.from(request?.body ?? ''))
        .digest('hex');
      assert.equal(request?.headers['X-Service-Signature'], `sha256=${digest}`);
      assert.equal(request?.headers['X-Service-Event-Id'], delivery?.eventId);
    },
  );

  deliveriesTest(
    'is signed as Standard Webhooks say, with the time of the attempt and the decoded secret',
    async (service) => {
      const { secret } = await configure(service);
      await register(service);
      service.clock.advance(60_500);
      await deliver(service);
      const [request] = service.webhookSender.sent;
      const [delivery] = await deliveryLog(service);
      assert.equal(request?.headers['webhook-id'], delivery?.eventId);
      const seconds = Math.floor(service.clock.now().getTime() / 1000);
      assert.equal(request?.headers['webhook-timestamp'], String(seconds));
      assert.equal(request?.headers['webhook-signature'], standardSignature(request, secret));

      service.clock.advance(1_000);
      await service.core.redeliver({ organization, deliveryId: delivery?.id ?? 0 });
      await deliver(service);
      const again = service.webhookSender.sent[1];
      assert.equal(again?.headers['webhook-id'], delivery?.eventId);
      assert.equal(again?.headers['webhook-timestamp'], String(seconds + 1));
      assert.equal(again?.headers['webhook-signature'], standardSignature(again, secret));
    },
  );

  deliveriesTest(
    'records an event as skipped if its webhook has been disabled meanwhile',
    async (service) => {
      await configure(service);
      await register(service);
      await configure(service, { enabled: false });
      const [report] = await deliver(service);
      const [delivery] = await deliveryLog(service);
      assert.deepEqual(report, {
        deliveryId: delivery?.id,
        eventId: delivery?.eventId,
        organizationId: 1,
        state: 'skipped',
        attempt: null,
        error: null,
        notice: null,
      });
      assert.equal(delivery?.state, 'skipped');
      assert.deepEqual(service.webhookSender.sent, []);
    },
  );

  deliveriesTest(
    'fails a delivery whose signing secret cannot be decrypted, and names the missing key',
    async (service) => {
      await configure(service);
      await register(service);
      await service.ports.webhooks.configure(1, (current) => {
        assert.ok(current);
        return { ...current, encryptedSecret: 'v1.gone.nothing' };
      });
      const [report] = await deliver(service);
      assert.equal(report?.state, 'failed');
      assert.deepEqual(report?.attempt, {
        startedAt: service.clock.now(),
        duration: 0,
        outcome: 'failed',
        phase: 'request',
        status: null,
        reason: 'the signing secret cannot be read: its key gone is not configured',
        request: null,
        response: null,
      });
      assert.ok(report?.error instanceof Error);
      const [{ state, attempts } = { state: null }] = await deliveryLog(service);
      const { request, response, ...attempt } = report.attempt;
      assert.deepEqual([state, attempts], ['failed', [attempt]]);
      assert.deepEqual(service.webhookSender.sent, []);
    },
  );

  deliveriesTest('queues nothing while the webhook is disabled or not subscribed', async (service) => {
    await configure(service, { ...enabled, enabled: false });
    await register(service);
    await configure(service, { enabled: false, events: [] });
    await register(service, 'other@example.test');
    assert.deepEqual(await deliveryLog(service), []);
  });
});
