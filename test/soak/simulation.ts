import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { planOf } from '../simulation/plan.js';
import { type FailedSeed, nothing, type RunSeeds, runSeeds, sum } from '../simulation/seeds.js';
import { shrink } from '../simulation/shrink.js';

/**
 * The simulated instances with other seeds each time, on every core: `npm run test:soak -- simulation`, or with these
 * seeds: `simulation 20001-10000000`. Ends after `SIMULATION_SEEDS` seeds (10 million, which take two idle cores about
 * two and a half hours), after `SIMULATION_MINUTES` (240), or when it is interrupted. It prints every minute, and at the
 * end, with which range a later run goes on. `SIMULATION_THREADS` uses fewer cores. Tells each failure with the fewest
 * steps.
 */
interface Range {
  readonly from: number;
  readonly to: number;
}

const MAX_FAILURES = 3;
/** Each run begins at one of 4,000 places, so that runs on different days use different seeds. */
const PLACES = 4_000;
const SEEDS_APART = 1_000_000;
/** A thread runs so many seeds, then asks for more. */
const BLOCK = 1_000;
const PROGRESS_MS = 60_000;

if (isMainThread) await runRange(rangeOf(process.argv[2]));
else
  parentPort?.on('message', async (block: Range) =>
    parentPort?.postMessage(await runSeeds({ ...block, maxFailures: MAX_FAILURES })),
  );

function rangeOf(word: string | undefined): Range {
  const first = (Math.floor(Date.now() / 1000) % PLACES) * SEEDS_APART;
  const seeds = Number(process.env.SIMULATION_SEEDS ?? 10_000_000);
  const [from = first, to = from + seeds - 1] = word?.split('-').map(Number) ?? [];
  return { from, to };
}

async function runRange({ from, to }: Range): Promise<void> {
  const end = performance.now() + 60_000 * Number(process.env.SIMULATION_MINUTES ?? 240);
  const failed: FailedSeed[] = [];
  /** The first seeds of the blocks that have not ended. */
  const open = new Set<number>();
  let next = from;
  let seeds = 0;
  let counts = nothing;
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
  };
  const goesOn = (): boolean =>
    next <= to && !isInterrupted && failed.length < MAX_FAILURES && performance.now() < end;

  async function work(): Promise<void> {
    const worker = new Worker(fileURLToPath(import.meta.url));
    while (goesOn()) {
      const block = { from: next, to: Math.min(to, next + BLOCK - 1) };
      next = block.to + 1;
      open.add(block.from);
      worker.postMessage(block);
      const [run] = (await once(worker, 'message')) as [RunSeeds];
      counts = sum(counts, run);
      seeds += run.seeds;
      failed.push(...run.failed);
      if (block.from + run.seeds > block.to) open.delete(block.from);
    }
    await worker.terminate();
  }

  function tell(): void {
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1_000_000;
    const rate = `${cpuSeconds.toFixed(0)} s of CPU, ${((1_000 * cpuSeconds) / seeds).toFixed(2)} ms each`;
    const { steps, requests, deliveries, crashes } = counts;
    print(
      `${seeds} seeds from ${from}: ${rate}; ${steps} steps, ${requests} requests, ${deliveries} deliveries, ${crashes} crashes`,
    );
    const rest = Math.min(next, ...open);
    if (rest <= to) print(`Go on with ${rest}-${to}`);
  }

  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const progress = setInterval(tell, PROGRESS_MS);
  const threads = Number(process.env.SIMULATION_THREADS ?? availableParallelism());
  await Promise.all(Array.from({ length: threads }, work));
  clearInterval(progress);
  tell();
  for (const { seed, broken } of failed.slice(0, MAX_FAILURES)) {
    print(`FAILED  seed ${seed}: ${broken[0]}`);
    const shrunk = await shrink(planOf(seed)).catch(() => null);
    for (const line of shrunk?.story ?? []) print(`        ${line}`);
  }
  process.exitCode = failed.length === 0 && seeds > 0 ? 0 : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
