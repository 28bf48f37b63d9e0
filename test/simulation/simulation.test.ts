import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planOf } from './plan.js';
import { runPlan } from './run-plan.js';
import { runSeedsInThreads } from './seed-threads.js';
import { shrink } from './shrink.js';

/** Set `SIMULATION_SEEDS` to run more; `npm run test:soak -- simulation` runs millions. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 800);
/** Of CPU. Alone they take 14 s; four times as much if other programs share the units of the processor. */
const MAX_SECONDS_PER_5_000 = 60;

/** Seeds that have found a fault in the product, when no instance heard of the events of others. */
const foundFaults: readonly (readonly [seed: number, found: string])[] = [
  [213, 'that registering somebody failed while they were erased'],
  [232, 'that a login link named somebody who was erased'],
  [260, 'that a login link signed in somebody who was erased'],
  [322, 'that a frozen instance sent an event that another one had sent'],
  [13986, 'that a login link from before a removal worked in the next membership'],
  [51897, 'that a redelivery was acknowledged by a run that another one had taken over, and made again'],
  [3775223, 'that a redelivery of what was pending already was acknowledged, and made by its repetition'],
  [9659583, 'the same as 3775223, after another story'],
  [210229, 'that a test of the webhook went to a URL that had been replaced before it was sent'],
];

/** Seeds of which a check said wrongly that a promise is broken. */
const wronglyBlamed: readonly (readonly [seed: number, what: string])[] = [
  [736204, 'a link that was used for a member whose removal kept the session from beginning'],
];

describe('Three instances in a simulated world', () => {
  test(`keep every promise with ${SEEDS} seeds`, async (t) => {
    const before = process.cpuUsage();
    // A second thread gains little where two cores share their units, and other test files run at once.
    const run = await runSeedsInThreads({ from: 1, to: SEEDS, maxFailures: 1, threads: 1 });
    const seconds = cpuSecondsSince(before);
    const { seeds, failed, steps, requests, deliveries, crashes } = run;
    t.diagnostic(
      `${seeds} seeds, ${steps} steps, ${requests} requests, ${deliveries} deliveries, ${crashes} crashes, ${seconds.toFixed(1)} s of CPU`,
    );
    const [first] = failed;
    if (first !== undefined) {
      const shrunk = await shrink(planOf(first.seed));
      assert.fail([`seed ${first.seed}`, ...(shrunk?.story ?? first.broken)].join('\n'));
    }
    assert.equal(seeds, SEEDS);
    const maxSeconds = (MAX_SECONDS_PER_5_000 * Math.max(seeds, 1_000)) / 5_000;
    assert.ok(seconds <= maxSeconds, `${seconds.toFixed(1)} s of CPU, and ${maxSeconds} s are allowed`);
  });

  for (const [seed, found] of foundFaults)
    test(`keep every promise with seed ${seed}, which found ${found}`, () => assertKept(seed));

  for (const [seed, what] of wronglyBlamed)
    test(`keep every promise with seed ${seed}: ${what}`, () => assertKept(seed));

  test('do the same again with the same seed, whatever ran before', async () => {
    const storyOf = async (seed: number): Promise<string> => {
      const lines: string[] = [];
      await runPlan(planOf(seed), { lines });
      return lines.join('\n');
    };
    const stories = new Map<number, string>();
    for (const seed of [31, 64, 258, 543, 1042]) stories.set(seed, await storyOf(seed));
    for (const seed of [1042, 543, 258, 64, 31]) assert.equal(await storyOf(seed), stories.get(seed));
    assert.ok([...stories.values()].every((story) => story.split('\n').length > 20));
  });
});

async function assertKept(seed: number): Promise<void> {
  const { broken } = await runPlan({ ...planOf(seed), hears: [] });
  assert.deepEqual(broken, []);
}

function cpuSecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}
