import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdTheDatabase, holdTheOutcome } from '../support/fault/busy.js';

describe('A database that another process holds for 7 s', { concurrency: 2 }, () => {
  test('gives 503 within 6 s to requests that must write, and does not slow down others', async (t) => {
    const { counts, problems } = await holdTheDatabase({ writers: 8 });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  test('delays the outcome of a delivery, and does not repeat its request', async (t) => {
    const { counts, problems } = await holdTheOutcome();
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
    assert.deepEqual([counts.delivered, counts.received], [1, 1]);
  });
});
