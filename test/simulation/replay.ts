import { planOf } from './plan.js';
import { runPlan } from './run-plan.js';
import { runSeeds } from './seeds.js';

/** `node test/dist/simulation/replay.js 42` tells what happens with this seed; `… 1-1000` runs many. */
const [first = 1, last = null] = (process.argv[2] ?? '').split('-').map(Number);
if (last === null) {
  const lines: string[] = [];
  const { broken, steps } = await runPlan(planOf(first), { lines });
  const end = broken.length === 0 ? ['Every promise was kept.'] : broken.map((text) => `Broken: ${text}`);
  process.stdout.write(`${[...lines, ...end, `${steps} steps`].join('\n')}\n`);
  if (broken.length > 0) process.exitCode = 1;
} else {
  const started = performance.now();
  const { seeds, steps, failed } = await runSeeds({ from: first, to: last, maxFailures: 50 });
  for (const { seed, broken } of failed) process.stdout.write(`${seed}: ${broken[0]?.slice(0, 300)}\n`);
  const seconds = (performance.now() - started) / 1_000;
  const rates = `${(seeds / seconds).toFixed(0)} seeds/s, ${(steps / seeds).toFixed(0)} steps each`;
  process.stdout.write(`${failed.length} of ${seeds} failed; ${rates}\n`);
  if (failed.length > 0) process.exitCode = 1;
}
