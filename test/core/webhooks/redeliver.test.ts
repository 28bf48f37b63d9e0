import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AnswerOnce, CallLost, type Core, Refusal, Unavailable } from '@rollcall/core';
import { anOrganization, recordingSender } from '@rollcall/core/testing';
import {
  configure,
  deliver,
  deliveriesTest,
  deliveryLog,
  register,
} from '../../support/core/deliveries-service.js';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';
import { answered500, enabled, startWithWebhook } from '../../support/core/webhook-core.js';
import { startTestService } from '../../support/test-service.js';

describe('redeliver', () => {
  deliveriesTest(
    'a failure is recorded and not retried automatically; a redelivery sends the same bytes',
    async (service) => {
      const failing = await startTestService({
        ports: { webhookSender: recordingSender(() => answered500) },
      });
      try {
        await failing.load({ organizations: [anOrganization(1)] });
        await configure(failing);
        await register(failing);
        const [report] = await deliver(failing);
        assert.deepEqual([report?.state, report?.attempt?.status], ['failed', 500]);
        assert.deepEqual(await deliver(failing), []);

        const [delivery] = await deliveryLog(failing);
        await failing.core.redeliver({ organization, deliveryId: delivery?.id ?? 0 });
        await deliver(failing);
        assert.deepEqual(await deliver(failing), []);
        const [after] = await deliveryLog(failing);
        assert.deepEqual([after?.state, after?.attempts.length, after?.body], ['failed', 2, delivery?.body]);
      } finally {
        await failing.stop();
      }
      await assert.rejects(service.core.redeliver({ organization, deliveryId: 9 }), Refusal);
    },
  );
});

/** A call with a key that redelivers, keeps its answer, and then loses its connection. */
function lostCall(core: Core, deliveryId: number): AnswerOnce {
  return {
    ...{ organization, operation: 'redeliver', key: 'key', fingerprint: 'one' },
    async work(keep) {
      await core.redeliver({ organization, deliveryId, keep: () => keep('accepted') });
      throw new Unavailable('the connection was lost after the commit');
    },
  };
}

describe('redeliver', () => {
  const by = { who: { kind: 'command-line' }, from: '192.0.2.7' } as const;

  test('sends a delivery of any organization again for the operator, which its activity has once', async () => {
    const { core, clock, register, deliver, wakes, activity } = await startWithWebhook();
    await register(1);
    const [report] = await deliver();
    const [woken, before] = [wakes(), await activity()];
    const deliveryId = report?.deliveryId ?? 0;
    for (let count = 0; count < 2; count += 1) await core.redeliver({ organization: null, deliveryId, by });
    assert.deepEqual(await activity(), [
      { action: 'delivery-redelivered', subject: report?.eventId, actor: by, at: clock.now() },
      ...before,
    ]);
    assert.ok(wakes() > woken);
    assert.equal((await core.readDelivery({ organization, deliveryId })).state, 'pending');
  });

  test('counts a test that is sent again as a test, which could go to another URL each time', async () => {
    const { core, clock, sent, deliver, activity } = await startWithWebhook();
    const refusedIn = (seconds: number) =>
      refused('too-many-requests', `At most 10 tests a minute can be sent; try again in ${seconds} s`);
    const { deliveryId } = await core.testWebhook({ organization });
    const sendAgain = async (host: number) => {
      const webhook = { ...enabled, url: `https://host-${host}.test/` };
      await core.configureWebhook({ organization, how: 'set', webhook });
      await core.redeliver({ organization, deliveryId });
      await deliver();
    };
    for (let host = 1; host < 10; host += 1) await sendAgain(host);
    await assert.rejects(sendAgain(10), refusedIn(60));
    await assert.rejects(core.testWebhook({ organization }), refusedIn(60));
    assert.equal(sent().length, 10);
    assert.equal((await activity()).filter(({ action }) => action === 'delivery-redelivered').length, 9);
    clock.advance(60_000);
    await sendAgain(10);
    assert.equal(sent().length, 11);
  });

  test('counts neither a test that waits already nor other events, and the operator is not limited', async () => {
    const { core, register, deliver } = await startWithWebhook();
    await register(1);
    const [event] = await deliver();
    for (let count = 0; count < 20; count += 1) {
      await core.redeliver({ organization, deliveryId: event?.deliveryId ?? 0 });
      await deliver();
    }
    const { deliveryId } = await core.testWebhook({ organization });
    for (let count = 0; count < 20; count += 1) await core.redeliver({ organization, deliveryId });
    await deliver();
    for (let count = 0; count < 20; count += 1) {
      await core.redeliver({ organization: null, deliveryId });
      await deliver();
    }
    for (let count = 0; count < 8; count += 1) await core.testWebhook({ organization });
    await assert.rejects(core.redeliver({ organization, deliveryId }), { code: 'too-many-requests' });
    const other = { organization: { id: 2 }, deliveryId };
    await assert.rejects(
      core.redeliver(other),
      refused('delivery-not-found', `There is no delivery ${deliveryId}`),
    );
  });

  test('does not count a test that was deleted meanwhile', async () => {
    const { core, ports } = await startWithWebhook();
    const { deliveryId } = await core.testWebhook({ organization });
    ports.deliveries.redeliver = async () => false;
    for (let count = 0; count < 20; count += 1)
      await assert.rejects(core.redeliver({ organization, deliveryId }), { code: 'delivery-not-found' });
  });

  test('does not count a test whose call another run has taken over, as nothing is sent', async () => {
    const { core, ports, register, deliver } = await startWithWebhook();
    const { deliveryId } = await core.testWebhook({ organization });
    const keep = () => {
      throw new CallLost();
    };
    for (const isPending of [false, true]) {
      for (let count = 0; count < 20; count += 1)
        await assert.rejects(core.redeliver({ organization, deliveryId, keep }), CallLost);
      if (!isPending) await core.redeliver({ organization, deliveryId });
    }
    await deliver();
    await register(1);
    const [event] = await deliver();
    await assert.rejects(
      core.redeliver({ organization, deliveryId: event?.deliveryId ?? 0, keep }),
      CallLost,
    );
    ports.limits.forgive = () => Promise.reject(new Error('the limits are away'));
    await assert.rejects(core.redeliver({ organization, deliveryId, keep }), /the limits are away/);
  });

  test('counts a test that may have been sent', async () => {
    const { core } = await startWithWebhook();
    const { deliveryId } = await core.testWebhook({ organization });
    const keep = () => {
      throw new Unavailable('the connection was lost');
    };
    for (let count = 1; count < 10; count += 1)
      await assert.rejects(core.redeliver({ organization, deliveryId, keep }), Unavailable);
    await assert.rejects(core.redeliver({ organization, deliveryId, keep }), { code: 'too-many-requests' });
  });

  test('reports that a test which is not sent could not be taken back', async () => {
    const { core, ports } = await startWithWebhook();
    const { deliveryId } = await core.testWebhook({ organization });
    await core.redeliver({ organization, deliveryId });
    ports.limits.forgive = () => Promise.reject(new Error('the limits are away'));
    await assert.rejects(core.redeliver({ organization, deliveryId }), /the limits are away/);
  });

  test('keeps the answer to a call in its transaction', async () => {
    const { core, activity } = await startWithWebhook();
    const { deliveryId } = await core.testWebhook({ organization });
    const request = lostCall(core, deliveryId);
    await assert.rejects(core.answerOnce(request), Unavailable);
    assert.equal(await core.answerOnce(request), 'accepted');
    assert.equal((await activity()).filter(({ action }) => action === 'delivery-redelivered').length, 1);
  });

  test('keeps the answer to a call whose delivery is pending already: a repetition does not send it once more', async () => {
    const { core, register, sent, deliver, activity } = await startWithWebhook();
    await register(1);
    const [report] = await deliver();
    const deliveryId = report?.deliveryId ?? 0;
    await core.redeliver({ organization, deliveryId });
    const before = await activity();
    const request = lostCall(core, deliveryId);
    await assert.rejects(core.answerOnce(request), Unavailable);
    await deliver();
    assert.equal(await core.answerOnce(request), 'accepted');
    await deliver();
    assert.equal(sent().length, 2);
    assert.deepEqual(await activity(), before);
  });

  test('refuses an event about a person who was erased, and names a delivery that does not exist', async () => {
    const { core, register, deliver } = await startWithWebhook();
    const { user } = await register(1);
    const [report] = await deliver();
    await core.eraseUser({ email: user.email });
    const attempt = (deliveryId: number) => core.redeliver({ organization, deliveryId });
    await assert.rejects(
      attempt(report?.deliveryId ?? 0),
      refused('delivery-erased', 'The person was erased, so this event cannot be sent again'),
    );
    await assert.rejects(attempt(4711), refused('delivery-not-found', 'There is no delivery 4711'));
    await assert.rejects(
      core.redeliver({ organization: null, deliveryId: 4711 }),
      refused('delivery-not-found', 'There is no delivery 4711'),
    );
    await assert.rejects(attempt(Number.NaN), refused('delivery-not-found', 'There is no such delivery'));
  });
});
