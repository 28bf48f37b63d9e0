import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canCountFsyncs, countFsyncs, synchronousOfRoles } from '../support/fault/fsync.js';

describe('An acknowledged write', () => {
  test('is on disk: every connection of the adapter is FULL once it is used, unlike one that was told nothing', async () => {
    assert.deepEqual(await synchronousOfRoles(), {
      writer: 2,
      reader: 2,
      exporter: 2,
      loader: 2,
      default: 1,
    });
  });

  test('costs an fsync at least, counted where strace can be run', async (t) => {
    if (!(await canCountFsyncs())) {
      t.diagnostic(
        'strace cannot be run here: the test above is all the proof; test:soak counts where it can',
      );
      return;
    }
    const { counts, problems } = await countFsyncs({ writes: 25 });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});
