import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdUpOneReceiver } from '../support/fault/stuck.js';

describe('A receiver that never answers', () => {
  test('holds up four requests and no other organization: 20 others are served within 2 s', async (t) => {
    const { counts, problems } = await holdUpOneReceiver({ healthy: 20, events: 2, stuckEvents: 12 });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});
