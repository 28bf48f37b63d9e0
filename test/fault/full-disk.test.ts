import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fillTheDisk, limitedFiles } from '../support/fault/disk.js';

describe('A full disk', () => {
  /** Simulated by a limit on file sizes, which needs no privileges; `npm run test:soak` fills a real file system of 8 MB. */
  test('gives 503 to requests that must write, answers reads, and recovers without a restart', async (t) => {
    const { counts, problems } = await fillTheDisk(limitedFiles());
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});
