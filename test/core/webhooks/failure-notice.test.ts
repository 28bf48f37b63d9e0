import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SentAttempt } from '@rollcall/core';
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

  test('the thresholds end with the given number, and 0 turns notices off', () => {
    assert.deepEqual(failureNoticeThresholds(20), [1, 2, 5, 10, 20]);
    assert.deepEqual(failureNoticeThresholds(120), [1, 2, 5, 10, 20, 50, 100, 120]);
    assert.deepEqual(failureNoticeThresholds(1), [1]);
    assert.deepEqual(failureNoticeThresholds(0), []);
  });
});
