import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canCountFsyncs, countFsyncs, synchronousOfRoles } from '../support/fault/fsync.js';

describe('An acknowledged write', () => {
  test('is on disk: every connection of the adapter has synchronous=FULL when it is used, unlike a default connection', async () => {
    assert.deepEqual(await synchronousOfRoles(), {
      writer: 2,
      reader: 2,
      exporter: 2,
      loader: 2,
      default: 1,
    });
  });

  test('costs at least one fsync, which is counted if strace can run', async (t) => {
    if (!(await canCountFsyncs())) {
      t.diagnostic('strace cannot run here: only the test above was made');
      return;
    }
    const { counts, problems } = await countFsyncs({ writes: 25 });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });
});
