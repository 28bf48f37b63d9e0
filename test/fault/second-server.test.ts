import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serveTwice } from '../support/fault/second.js';

describe('A second server on the same file', () => {
  test('refuses with one line while the first one lives, frozen or not, and starts at once when it was killed', async (t) => {
    const { counts, problems } = await serveTwice({ rounds: 2 });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});
