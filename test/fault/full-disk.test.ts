import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fillTheDisk, limitedFiles } from '../support/fault/disk.js';

describe('A full disk', () => {
  /** By a limit on the size of files, which needs no privilege; `npm run test:soak` has a real file system of 8 MB. */
  test('refuses what must be written with a clean 503, lets everything be read, and heals without a restart', async (t) => {
    const { counts, problems } = await fillTheDisk(limitedFiles());
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});
