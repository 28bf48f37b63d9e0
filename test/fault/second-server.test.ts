import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serveTwice } from '../support/fault/second-server.js';

describe('A second server on the same file', () => {
  test('refuses in one line while the first one lives, even if it is frozen, and starts at once after it was killed', async (t) => {
    const { counts, problems } = await serveTwice({ rounds: 1 });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});
