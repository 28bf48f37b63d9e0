import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  killAndSetTheClockBack,
  killAtPoints,
  killTheSameDelivery,
  killWhileServing,
} from '../support/fault/kill.js';

/** Small; `npm run test:soak` has the full counts. A seed of its own for each run, told with the counts. */
const seed = Date.now() % 1_000_000;
/** Milliseconds after which nothing more is killed: a busy machine takes longer. */
const maxMs = 90_000;

describe('kill -9', { concurrency: 2 }, () => {
  test('of the server while people register loses no registration, no event, and repeats none without a trace', async (t) => {
    const { counts, problems } = await killWhileServing({ kills: 4, seed, maxMs });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  test('at every step from the transaction to the outcome leaves each event to be sent once more or done', async (t) => {
    const { counts, problems } = await killAtPoints({ rounds: 1, seed, maxMs });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  test('three times in the middle of the same delivery gives it up, visibly', async () => {
    const { counts, problems } = await killTheSameDelivery();
    assert.deepEqual(problems, []);
    assert.deepEqual([counts['attempts cut off'], counts.failed], [3, 1]);
  });

  test('and a clock that was set back meanwhile leave no delivery behind', async () => {
    const { counts, problems } = await killAndSetTheClockBack();
    assert.deepEqual(problems, []);
    assert.deepEqual([counts['attempts cut off'], counts.delivered], [1, 1]);
  });
});
