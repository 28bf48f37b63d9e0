import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plantedFaults } from './faults/planted-faults.js';
import { planOf } from './plan.js';
import { runPlan } from './run-plan.js';
import { runSeeds } from './seeds.js';
import { shrink } from './shrink.js';
import type { Planted } from './simulation.js';

/** When the product changes, a seed can come to do something else. Then the failure names one of these that finds the fault. */
const OTHER_SEEDS = 20_000;
let foundCount = 0;

describe('The simulation finds a storage that', () => {
  for (const { fault, seed, planted } of plantedFaults) {
    if (seed === null) continue;
    test(`${fault} (seed ${seed})`, async () => {
      const { failed } = await runSeeds({ from: seed, to: seed, planted });
      if (failed.length === 0) assert.fail(`seed ${seed} no longer finds it: ${await otherSeed(planted)}`);
      const { broken } = await runPlan(planOf(seed));
      assert.deepEqual(broken, []);
      foundCount += 1;
    });
  }
});

/** Which seed finds the fault now. */
async function otherSeed(planted: Planted): Promise<string> {
  const { failed } = await runSeeds({ from: 1, to: OTHER_SEEDS, maxFailures: 1, planted });
  const [first] = failed;
  return first === undefined ? `no seed up to ${OTHER_SEEDS} does` : `seed ${first.seed} does`;
}

describe('The planted faults', () => {
  test('are more than 40, and 38 out of 40 are found', (t) => {
    const found = plantedFaults.filter(({ seed }) => seed !== null);
    t.diagnostic(`${foundCount} of ${plantedFaults.length} found`);
    assert.equal(foundCount, found.length);
    assert.ok(plantedFaults.length >= 40, `${plantedFaults.length} faults`);
    assert.ok(found.length / plantedFaults.length >= 38 / 40, `${found.length} of ${plantedFaults.length}`);
    assert.equal(new Set(plantedFaults.map(({ fault }) => fault)).size, plantedFaults.length);
  });
});

describe('A failure', () => {
  const redeemedTwice = plantedFaults.find(({ fault }) => fault.startsWith('redeems a link'));

  test('shrinks to the steps that it needs, and is told as a story', async () => {
    assert.ok(redeemedTwice?.seed);
    const plan = planOf(redeemedTwice.seed);
    const shrunk = await shrink(plan, redeemedTwice.planted);
    assert.ok(shrunk !== null);
    assert.ok(plan.actions.length > 8, `${plan.actions.length} actions`);
    const [register, link, ...redeem] = shrunk.plan.actions.map((action) => action.do);
    assert.deepEqual([register, link, redeem], ['register', 'link', ['redeem', 'redeem']]);
    assert.deepEqual(
      { crashes: shrunk.plan.crashes, outages: shrunk.plan.outages },
      { crashes: [], outages: [] },
    );
    assert.deepEqual(shrunk.plan.faults, new Map());
    const story = shrunk.story.join('\n');
    assert.match(story, /A program registers \w+ in organization \d on instance [ABC]\.\n/);
    assert.match(story, /\w+ signs in to organization \d with login-link-\d+: done, with session-\d+\.\n/);
    assert.match(story, /Broken: \w+@people\.test signed in twice with login-link-\d+\.\n/);
    assert.match(
      story,
      /Broken: no order of the requests explains the link login-link-\d+\n(?: {2}\[.*\n?){3}$/,
    );
    assert.ok(shrunk.story.length <= 14, `${shrunk.story.length} lines`);
  });

  test('that a crash causes keeps its crash', async () => {
    const lost = plantedFaults.find(({ fault }) => fault.startsWith('records the event after'));
    assert.ok(lost?.seed);
    const shrunk = await shrink(planOf(lost.seed), lost.planted);
    assert.match(shrunk?.story.join('\n') ?? '', /Instance . crashes\./);
  });

  test('that is none is not shrunk', async () => {
    assert.equal(await shrink(planOf(redeemedTwice?.seed ?? 1)), null);
  });
});
