import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { proveFeed } from '../support/feed/prove-feed.js';
import { startMigrated } from '../support/feed/start-migrated.js';

/** Printed with the counts. `npm run test:soak` has the full number of rounds. */
const seed = Date.now() % 1_000_000;

describe('Readers of the events on three instances', () => {
  for (const engine of ['postgres', 'sqlite'] as const) {
    test(`miss no event and get none twice, over ${engine}`, async (t) => {
      const { url, stop } = await startMigrated(engine);
      t.after(stop);
      const maxHoldMs = engine === 'postgres' ? 15 : 2;
      const { counts, problems } = await proveFeed({ url, rounds: 9, killEvery: 4, maxHoldMs, seed });
      t.diagnostic(JSON.stringify({ seed, ...counts }));
      assert.deepEqual(problems, []);
      assert.ok(Number(counts.committed) >= 9, 'less than one event in each round');
    });
  }

  test('are caught when they skip an event, because positions are assigned before the commit', async (t) => {
    const { url, stop } = await startMigrated('postgres');
    t.after(stop);
    const fault = 'position-at-insert';
    const { problems } = await proveFeed({ url, rounds: 100, killEvery: 1000, maxHoldMs: 15, seed, fault });
    assert.match(problems.join('\n'), /has skipped/);
  });
});
