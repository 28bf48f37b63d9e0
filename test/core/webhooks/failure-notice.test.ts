import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type SentAttempt, Unavailable } from '@rollcall/core';
import { failureNoticeThresholds } from '#core/webhooks/failure-notice.js';
import { organization } from '../../support/core/organization.js';
import { answered200, answered500, startWithWebhook } from '../../support/core/webhook-core.js';

describe('A webhook that keeps failing', () => {
  test('causes notices at growing intervals up to the last one, and starts over after a success', async () => {
    let answer: SentAttempt = answered500;
    const { core, register, deliver } = await startWithWebhook({
      send: async () => answer,
      webhookFailureNotice: 7,
    });
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

  test('tells the operator since when it has failed', async () => {
    const { clock, register, deliver } = await startWithWebhook({ send: async () => answered500 });
    const failingSince = clock.now();
    for (const failuresInRow of [1, 2]) {
      await register(failuresInRow);
      assert.deepEqual(
        (await deliver()).map(({ notice }) => notice),
        [{ failuresInRow, failingSince, isLast: false }],
      );
      clock.advance(60_000);
    }
  });

  test('causes the notice with the next failure if the database was unavailable, but hides no bug', async () => {
    const { core, ports, register, deliver } = await startWithWebhook({ send: async () => answered500 });
    const { takeFailureNotice } = ports.webhooks;
    const errors: Error[] = [new Unavailable('away')];
    ports.webhooks.takeFailureNotice = async (...[request, build]: Parameters<typeof takeFailureNotice>) => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return takeFailureNotice(request, build);
    };
    const setEnabled = (isEnabled: boolean) =>
      core.configureWebhook({ organization, how: 'change', webhook: { enabled: isEnabled } });
    const notices = [];
    for (const number of [1, 2, 3]) {
      await setEnabled(true);
      await register(number);
      // The second event is skipped, which is no failure.
      await setEnabled(number !== 2);
      for (const { state, notice } of await deliver())
        notices.push([state, notice === null ? null : notice.failuresInRow]);
    }
    assert.deepEqual(notices, [
      ['failed', null],
      ['skipped', null],
      ['failed', 2],
    ]);
    const bug = new Error('a bug');
    errors.push(bug);
    await register(4);
    await assert.rejects(deliver(), (error) => error === bug);
  });

  test('the thresholds end with the given number, and 0 turns notices off', () => {
    assert.deepEqual(failureNoticeThresholds(20), [1, 2, 5, 10, 20]);
    assert.deepEqual(failureNoticeThresholds(120), [1, 2, 5, 10, 20, 50, 100, 120]);
    assert.deepEqual(failureNoticeThresholds(1), [1]);
    assert.deepEqual(failureNoticeThresholds(0), []);
  });
});
