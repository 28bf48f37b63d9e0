import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SentAttempt } from '@rollcall/core';
import { organization } from '../../support/core/organization.js';
import { answered200, answered500, startWithWebhook } from '../../support/core/webhook-core.js';

describe('attemptDelivery', () => {
  test('stores the outcome when the database is available again, without repeating the request', async () => {
    let failuresLeft = 5;
    const { core, register, deliver, sent } = await startWithWebhook({
      beforeFinish: () => --failuresLeft >= 0,
    });
    await register(1);
    assert.deepEqual(
      (await deliver()).map(({ state }) => state),
      ['delivered'],
    );
    assert.equal(sent().length, 1);
    assert.equal((await core.listDeliveries({ organization })).deliveries[0]?.state, 'delivered');
  });

  test('reports the code of the error, and stores it nowhere', async () => {
    const failed = { ...answered500, status: null, response: null, reason: 'connection refused' };
    for (const [sent, code] of [
      [{ ...failed, code: 'ECONNREFUSED' }, 'ECONNREFUSED'],
      [answered500, undefined],
    ] as const) {
      const { core } = await startWithWebhook({ send: async () => sent });
      const report = await core.testWebhook({ organization });
      assert.deepEqual(
        [report.code, 'code' in report, 'code' in (report.attempt ?? {})],
        [code, code !== undefined, false],
      );
    }
  });

  test('skips a test that is sent again after the URL was removed', async () => {
    const { core, deliver, sent } = await startWithWebhook();
    const { deliveryId } = await core.testWebhook({ organization });
    await core.redeliver({ organization, deliveryId });
    await core.configureWebhook({ organization, how: 'change', webhook: { enabled: false, url: '' } });
    const reports = await deliver();
    assert.deepEqual(
      reports.map(({ state, attempt, error }) => ({ state, attempt, error })),
      [{ state: 'skipped', attempt: null, error: null }],
    );
    assert.equal(sent().length, 1);
  });

  test('sends four events of an organization at once, and the others after them', async () => {
    const { core, register } = await startWithWebhook();
    for (let number = 1; number <= 5; number += 1) await register(number);
    const first = await core.deliverWebhooks({ limit: 10 });
    await Promise.all(first);
    const second = await core.deliverWebhooks({ limit: 10 });
    assert.deepEqual([first.length, second.length], [4, 1]);
    await Promise.all(second);
  });

  for (const kind of ['an event', 'a test'])
    test(`the outcome of ${kind} does not count if it was taken for cut off and is sent again`, async () => {
      const ends: ((attempt: SentAttempt) => void)[] = [];
      const send = () => new Promise<SentAttempt>((resolve) => ends.push(resolve));
      const { core, clock, register, deliver } = await startWithWebhook({ send });
      if (kind === 'an event') await register(1);
      const first = kind === 'an event' ? deliver() : core.testWebhook({ organization });
      await new Promise(setImmediate);
      clock.advance(60_000);
      assert.deepEqual(await core.recoverDeliveries({ olderThanMs: 60_000 }), { again: 0, failed: 0 });
      clock.advance(1);
      assert.deepEqual(await core.recoverDeliveries({ olderThanMs: 60_000 }), { again: 1, failed: 0 });
      const second = deliver();
      await new Promise(setImmediate);
      ends[0]?.(answered500);
      await first;
      const stateNow = async () => (await core.listDeliveries({ organization })).deliveries[0]?.state;
      assert.equal(await stateNow(), 'sending');
      ends[1]?.(answered200);
      await second;
      assert.equal(await stateNow(), 'delivered');
    });
});
