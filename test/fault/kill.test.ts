import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { killAndSetTheClockBack, killAtPoints } from '../support/fault/kill.js';

/** Each run has its own seed, which is printed with the counts. They are small; `npm run test:soak` has the full ones. */
const seed = Date.now() % 1_000_000;
/** After this time nothing more is killed, because a busy machine takes longer. */
const maxMs = 90_000;

describe('kill -9', { concurrency: 2 }, () => {
  test('at every step from the transaction to the outcome loses no registration, and leaves each event to be sent again or finished', async (t) => {
    const { counts, problems } = await killAtPoints({ rounds: 1, seed, maxMs });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  test('and a clock that is set back in the meantime leave no delivery unfinished', async () => {
    const { counts, problems } = await killAndSetTheClockBack();
    assert.deepEqual(problems, []);
    assert.deepEqual([counts['attempts cut off'], counts.delivered], [1, 1]);
  });
});
