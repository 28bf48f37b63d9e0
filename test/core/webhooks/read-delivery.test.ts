import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { organization } from '../../support/core/organization.js';
import { answered500, refusedAs, startWithWebhook } from '../../support/core/webhook-core.js';

describe('readDelivery', () => {
  test('returns the numbered attempts, and the request as it would be sent now', async () => {
    const { core, register, deliver, secretOf } = await startWithWebhook({ send: async () => answered500 });
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

  test('returns the newest 20 attempts with their numbers, and the number of all', async () => {
    const { core, register, deliver } = await startWithWebhook({ send: async () => answered500 });
    await register(1);
    await deliver();
    const [{ id: deliveryId } = { id: 0 }] = (await core.listDeliveries({ organization })).deliveries;
    for (let number = 2; number <= 23; number += 1) {
      await core.redeliver({ organization, deliveryId });
      await deliver();
    }
    const { attempts, attemptCount } = await core.readDelivery({ organization, deliveryId });
    assert.equal(attemptCount, 23);
    assert.deepEqual(
      attempts.map(({ number, request }) => [number, request === null]),
      Array.from({ length: 20 }, (_, index) => [index + 4, false]),
    );
    const last = await core.readDelivery({ organization, deliveryId, onlyLastAttempt: true });
    assert.deepEqual([last.attempts, last.attemptCount], [attempts.slice(-1), 23]);
    await core.configureWebhook({ organization, how: 'change', webhook: { enabled: false, url: '' } });
    assert.equal((await core.readDelivery({ organization, deliveryId })).request, null);
  });

  test('without an organization, returns the delivery of any, with the request of its webhook', async () => {
    const { core } = await startWithWebhook();
    const { deliveryId } = await core.testWebhook({ organization });
    const delivery = await core.readDelivery({ organization: null, deliveryId });
    assert.deepEqual(delivery, await core.readDelivery({ organization, deliveryId }));
    assert.notEqual(delivery.request, null);
    const notFound = refusedAs('delivery-not-found', /^There is no delivery/);
    await assert.rejects(core.readDelivery({ organization: null, deliveryId: deliveryId + 1 }), notFound);
  });

  test('refuses a foreign delivery and an unknown one alike', async () => {
    const { core } = await startWithWebhook();
    const { deliveryId } = await core.testWebhook({ organization });
    const notFound = refusedAs('delivery-not-found', /^There is no (such )?delivery/);
    await assert.rejects(core.readDelivery({ organization: { id: 2 }, deliveryId }), notFound);
    await assert.rejects(core.readDelivery({ organization, deliveryId: deliveryId + 1 }), notFound);
  });
});
