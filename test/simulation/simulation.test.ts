import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planOf } from './plan.js';
import { runPlan } from './run-plan.js';
import { runSeeds } from './seeds.js';

/** Set `SIMULATION_SEEDS` to run more. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 2_000);

describe('Three instances in a simulated world', () => {
  test(`keep every promise with ${SEEDS} seeds`, async () => {
    const { seeds, failed } = await runSeeds({ from: 1, to: SEEDS });
    const stories = failed.map(
      ({ seed, broken }) => `node test/dist/simulation/replay.js ${seed}: ${broken[0]}`,
    );
    assert.deepEqual(stories, []);
    assert.equal(seeds, SEEDS);
  });

  test('do the same again with the same seed', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const [first, again]: [string[], string[]] = [[], []];
      await runPlan(planOf(seed), { lines: first });
      await runPlan(planOf(seed), { lines: again });
      assert.ok(first.length > 5);
      assert.deepEqual(again, first);
    }
  });
});
