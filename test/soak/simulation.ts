import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { planOf } from '../simulation/plan.js';
import { type RunSeeds, runSeeds } from '../simulation/seeds.js';
import { shrink } from '../simulation/shrink.js';

/**
 * The simulated instances with other seeds each time, on every core: `npm run test:soak -- simulation`. Ends after
 * `SIMULATION_SEEDS` seeds (10 million) or `SIMULATION_MINUTES` (60), and tells each failure with the fewest steps.
 */
interface Share {
  readonly from: number;
  readonly to: number;
  readonly maxSeconds: number;
}

const MAX_FAILURES = 3;
/** Each run begins at one of 4,000 places, so that runs on different days use different seeds. */
const PLACES = 4_000;
const SEEDS_APART = 1_000_000;

if (isMainThread) await runShares();
else parentPort?.postMessage(await runSeeds({ ...(workerData as Share), maxFailures: MAX_FAILURES }));

async function runShares(): Promise<void> {
  const seeds = Number(process.env.SIMULATION_SEEDS ?? 10_000_000);
  const maxSeconds = 60 * Number(process.env.SIMULATION_MINUTES ?? 60);
  const first = (Math.floor(Date.now() / 1000) % PLACES) * SEEDS_APART;
  const workers = availableParallelism();
  const share = Math.ceil(seeds / workers);
  const started = performance.now();
  const runs = await Promise.all(
    Array.from({ length: workers }, (_, index) => {
      const from = first + index * share;
      return runShare({ from, to: from + share - 1, maxSeconds });
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const total = runs.reduce((sum, run) => sum + run.seeds, 0);
  const steps = runs.reduce((sum, run) => sum + run.steps, 0);
  const failed = runs.flatMap((run) => run.failed);
  print(`${total} seeds from ${first}, ${steps} steps, ${(total / seconds).toFixed(0)} seeds a second`);
  for (const { seed, broken } of failed.slice(0, MAX_FAILURES)) {
    print(`FAILED  seed ${seed}: ${broken[0]}`);
    const shrunk = await shrink(planOf(seed)).catch(() => null);
    for (const line of shrunk?.story ?? []) print(`        ${line}`);
  }
  process.exitCode = failed.length === 0 && total > 0 ? 0 : 1;
}

async function runShare(share: Share): Promise<RunSeeds> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: share });
  const [run] = (await once(worker, 'message')) as [RunSeeds];
  return run;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
