import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SentAttempt } from '@rollcall/core';
import { organization } from '../../support/core/organization.js';
import { answered200, answered500, startWithWebhook } from '../../support/core/webhook-core.js';

describe('redeliverFailed', () => {
  test('sends failed deliveries since a time again, of one organization or of all, and wakes the dispatcher if there are any', async () => {
    const { core, clock, register, deliver, wakes } = await startWithWebhook({
      send: async () => answer,
    });
    let answer: SentAttempt = answered200;
    await register(3);
    await deliver();
    answer = answered500;
    for (const number of [1, 2]) {
      await register(number);
      await deliver();
      clock.advance(60_000);
    }
    const since = new Date(clock.now().getTime() - 60_000);
    const all = new Date(0);
    const states = async () =>
      (await core.listDeliveries({ organization: null })).deliveries.map(({ state }) => state);
    const woken = wakes();
    assert.equal(await core.redeliverFailed({ organization: { id: 2 }, since: all }), 0);
    assert.equal(await core.redeliverFailed({ organization: null, since: new Date('9999-01-01') }), 0);
    assert.equal(wakes(), woken);
    assert.equal(await core.redeliverFailed({ organization, since }), 1);
    assert.deepEqual([await states(), wakes()], [['pending', 'failed', 'delivered'], woken + 1]);
    assert.equal(await core.redeliverFailed({ organization: null, since: all }), 1);
    assert.deepEqual(await states(), ['pending', 'pending', 'delivered']);
    assert.equal(await core.redeliverFailed({ organization, since: all }), 0);
    assert.equal(wakes(), woken + 2);
  });
});
