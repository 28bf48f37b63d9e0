import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { faults } from '../support/changes/messages.js';
import {
  type ImportInstance,
  INSTANCES,
  proveChanges,
  startInstances,
} from '../support/changes/prove-changes.js';
import { startMigrated } from '../support/feed/start-migrated.js';

/** Printed with the counts. `npm run test:soak` has the full number of rounds. */
const seed = Date.now() % 1_000_000;
const ROUNDS = 6;
let instances: readonly ImportInstance[];
before(async () => {
  instances = await startInstances();
});
after(() => Promise.all(instances.map((instance) => instance.kill())));

describe('Copies of meetings that are kept by their changes, while three processes import', () => {
  for (const engine of ['postgres', 'sqlite'] as const) {
    test(`equal an export of everything, over ${engine}`, async (t) => {
      const { url, stop } = await startMigrated(engine);
      t.after(stop);
      const { counts, problems } = await proveChanges({
        instances,
        url,
        rounds: ROUNDS,
        maxHoldMs: 10,
        seed,
      });
      t.diagnostic(JSON.stringify({ seed, ...counts }));
      assert.deepEqual(problems, []);
      assert.equal(counts.imports, INSTANCES * ROUNDS);
      assert.ok(Number(counts.deletions) > 0);
    });
  }

  for (const fault of faults) {
    test(`are caught when they differ, because imports have the fault ${fault}`, async (t) => {
      const { url, stop } = await startMigrated('sqlite');
      t.after(stop);
      const { problems } = await proveChanges({ instances, url, rounds: 100, maxHoldMs: 10, seed, fault });
      t.diagnostic(JSON.stringify({ seed, first: problems[0] }));
      assert.match(problems.join('\n'), /(lacks|has an old state of|still has) meeting/);
    });
  }
});
