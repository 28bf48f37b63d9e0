import { type Part, runParts } from '../support/fault/parts.js';
import { proveFeed } from '../support/feed/prove-feed.js';
import { startMigrated } from '../support/feed/start-migrated.js';
import { soakSeed as seed } from '../support/soak-program.js';

/**
 * Registrations on three instances that are committed out of order and killed, and readers who must miss no event:
 * `npm run test:soak -- event-feed`. `SOAK_SEED` repeats the random times of an earlier run.
 */
const ROUNDS = 1_000;

const parts: readonly Part[] = (['postgres', 'sqlite'] as const).map((engine) => ({
  name: `${ROUNDS} rounds over ${engine}`,
  maxSeconds: 900,
  async run() {
    const { url, stop } = await startMigrated(engine);
    try {
      const maxHoldMs = engine === 'postgres' ? 30 : 3;
      return await proveFeed({ url, rounds: ROUNDS, killEvery: 5, maxHoldMs, seed });
    } finally {
      await stop();
    }
  },
}));

await runParts(parts, { seed });
