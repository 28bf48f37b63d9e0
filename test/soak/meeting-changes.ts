import { INSTANCES, proveChanges, startInstances } from '../support/changes/prove-changes.js';
import { type Part, runParts } from '../support/fault/parts.js';
import { startMigrated } from '../support/feed/start-migrated.js';
import { soakSeed as seed } from '../support/soak-program.js';

/**
 * 1,000 random imports and deletions by three processes at once, and readers whose copies must equal an export of
 * everything: `npm run test:soak -- meeting-changes`. `SOAK_SEED` repeats the random choices of an earlier run.
 */
const ROUNDS = Math.ceil(1_000 / INSTANCES);

const parts: readonly Part[] = (['postgres', 'sqlite'] as const).map((engine) => ({
  name: `${ROUNDS * INSTANCES} imports over ${engine}`,
  maxSeconds: 900,
  async run() {
    const { url, stop } = await startMigrated(engine);
    const instances = await startInstances();
    try {
      return await proveChanges({ instances, url, rounds: ROUNDS, maxHoldMs: 30, seed });
    } finally {
      await Promise.all(instances.map((instance) => instance.kill()));
      await stop();
    }
  },
}));

await runParts(parts, { seed });
