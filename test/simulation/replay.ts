import { plantedFaults } from './faults/planted-faults.js';
import { planOf } from './plan.js';
import { runPlan } from './run-plan.js';
import { runSeeds } from './seeds.js';
import { shrink } from './shrink.js';
import { tellPlan } from './story.js';

/**
 * `node test/dist/simulation/replay.js 42` tells what happens with this seed, and `1-1000` runs many. A failure is told
 * with the fewest steps. Words after the seed name a planted fault.
 */
const [seeds = '', ...words] = process.argv.slice(2);
const [first = 1, last = null] = seeds.split('-').map(Number);
const name = words.join(' ');
const planted = name === '' ? undefined : plantedFaults.find(({ fault }) => fault.includes(name))?.planted;
const print = (lines: readonly string[]): boolean => process.stdout.write(`${lines.join('\n')}\n`);

if (last === null) {
  const plan = planOf(first);
  const shrunk = await shrink(plan, planted);
  if (shrunk === null) {
    const lines: string[] = [];
    await runPlan(plan, { lines, ...(planted === undefined ? {} : { planted }) });
    print([...tellPlan(plan), ...lines, 'Every promise was kept.']);
  } else {
    print(shrunk.story);
    process.exitCode = 1;
  }
} else {
  const started = performance.now();
  const range = { from: first, to: last, maxFailures: 50 };
  const run = await runSeeds(planted === undefined ? range : { ...range, planted });
  print(run.failed.map(({ seed, broken }) => `${seed}: ${broken[0]?.slice(0, 300)}`));
  const seconds = (performance.now() - started) / 1_000;
  const rates = `${(run.seeds / seconds).toFixed(0)} seeds/s, ${(run.steps / run.seeds).toFixed(0)} steps each`;
  print([`${run.failed.length} of ${run.seeds} failed; ${rates}`]);
  if (run.failed.length > 0) process.exitCode = 1;
}
