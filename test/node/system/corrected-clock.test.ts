import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { correctedClock } from '#adapters/node/system/corrected-clock.js';

const noon = Date.parse('2026-11-20T12:00:00.000Z');

/** A machine whose clock is ahead of the reference, which takes `answerMs` to respond. */
function machine({ aheadMs, answerMs = 0 }: { readonly aheadMs: number; readonly answerMs?: number }) {
  const state = { passed: 0, aheadMs, answerMs, referenceSet: 0, isUnavailable: false, measurements: 0 };
  const clock = correctedClock({
    async reference() {
      state.measurements += 1;
      if (state.isUnavailable) throw new Unavailable('The database is unavailable.');
      state.passed += state.answerMs / 2;
      const time = new Date(noon + state.passed + state.referenceSet);
      state.passed += state.answerMs / 2;
      return time;
    },
    machineNow: () => noon + state.passed + state.aheadMs,
    monotonicNow: () => state.passed,
  });
  return { clock, state, now: () => clock.now().getTime() - noon };
}

describe('A corrected clock', () => {
  test('has the time of the machine until the first measurement, and then that of the reference', async () => {
    const { clock, now } = machine({ aheadMs: 90_000 });
    assert.equal(now(), 90_000);
    assert.equal(clock.aheadMs(), null);
    await clock.measure();
    assert.equal(now(), 0);
    assert.equal(clock.aheadMs(), 90_000);
  });

  test('subtracts half of the response time', async () => {
    const { clock, now, state } = machine({ aheadMs: -300_000, answerMs: 80 });
    await clock.measure();
    assert.equal(now(), state.passed);
    assert.equal(clock.aheadMs(), -300_000);
  });

  test('uses the quickest of several responses', async () => {
    const { clock, state } = machine({ aheadMs: 5000, answerMs: 400 });
    const measured = clock.measure(3);
    state.answerMs = 10;
    await measured;
    assert.equal(state.measurements, 3);
    assert.equal(clock.aheadMs(), 5000);
  });

  test('does not request the time again, and ignores a change of the machine’s clock', async () => {
    const { clock, now, state } = machine({ aheadMs: 0 });
    await clock.measure();
    state.passed += 1000;
    state.aheadMs = 300_000;
    assert.equal(now(), 1000);
    assert.equal(state.measurements, 1);
    assert.equal(clock.aheadMs(), 300_000);
  });

  test('continues while the reference is unavailable, and throws other errors', async () => {
    const { clock, now, state } = machine({ aheadMs: 90_000 });
    await clock.measure();
    state.isUnavailable = true;
    state.passed += 5000;
    await clock.measure(3);
    assert.equal(now(), 5000);
    const broken = correctedClock({ reference: () => Promise.reject(new Error('a bug')) });
    await assert.rejects(broken.measure(), /a bug/);
  });

  test('stands still after a small correction instead of going back', async () => {
    const { clock, now, state } = machine({ aheadMs: 0 });
    await clock.measure();
    state.passed += 1000;
    assert.equal(now(), 1000);
    state.referenceSet = -200;
    await clock.measure();
    assert.equal(now(), 1000);
    state.passed += 150;
    assert.equal(now(), 1000);
    state.passed += 150;
    assert.equal(now(), 1100);
    state.referenceSet = -60_000;
    await clock.measure();
    assert.equal(now(), 1300 - 60_000);
  });

  test('ignores a response that is less precise than the known time', async () => {
    const { clock, now, state } = machine({ aheadMs: 0 });
    await clock.measure();
    state.answerMs = 3000;
    state.referenceSet = 1000;
    await clock.measure();
    assert.equal(now(), 3000);
    state.answerMs = 4;
    await clock.measure();
    assert.equal(now(), 4004);
  });
});
