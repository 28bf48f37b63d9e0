import { availableParallelism } from 'node:os';
import { planOf } from '../simulation/plan.js';
import { runSeedsInThreads, type SeedProgress, type SeedRange } from '../simulation/seed-threads.js';
import { shrink } from '../simulation/shrink.js';
import { printLine } from '../support/soak-program.js';

/**
 * The simulated instances with other seeds each time, on every core: `npm run test:soak -- simulation`, or with these
 * seeds: `simulation 20001-10000000`. Ends after `SIMULATION_SEEDS` seeds (10 million, which take two idle cores about
 * three hours), after `SIMULATION_MINUTES` (240), or when it is interrupted. It prints every minute, and at the end, with
 * which range a later run goes on. `SIMULATION_THREADS` uses fewer cores. Tells each failure with the fewest steps.
 */
const MAX_FAILURES = 3;
/** Each run begins at one of 4,000 places, so that runs on different days use different seeds. */
const PLACES = 4_000;
const SEEDS_APART = 1_000_000;
const PROGRESS_MS = 60_000;

await runRange(rangeOf(process.argv[2]));

function rangeOf(word: string | undefined): SeedRange {
  const first = (Math.floor(Date.now() / 1000) % PLACES) * SEEDS_APART;
  const seeds = Number(process.env.SIMULATION_SEEDS ?? 10_000_000);
  const [from = first, to = from + seeds - 1] = word?.split('-').map(Number) ?? [];
  return { from, to };
}

async function runRange({ from, to }: SeedRange): Promise<void> {
  const end = performance.now() + 60_000 * Number(process.env.SIMULATION_MINUTES ?? 240);
  const threads = Number(process.env.SIMULATION_THREADS ?? availableParallelism());
  let isInterrupted = false;
  let latest: SeedProgress | null = null;
  const interrupt = (): void => {
    isInterrupted = true;
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const tell = (): void => {
    if (latest !== null) printLine(progressText(latest, { from, to }));
  };
  const progress = setInterval(tell, PROGRESS_MS);
  const goesOn = (): boolean => !isInterrupted && performance.now() < end;
  const { seeds, failed } = await runSeedsInThreads(
    { from, to, threads, maxFailures: MAX_FAILURES, goesOn },
    (reached) => {
      latest = reached;
    },
  );
  clearInterval(progress);
  tell();
  for (const { seed, broken } of failed.slice(0, MAX_FAILURES)) {
    printLine(`FAILED  seed ${seed}: ${broken[0]}`);
    const shrunk = await shrink(planOf(seed)).catch(() => null);
    for (const line of shrunk?.story ?? []) printLine(`        ${line}`);
  }
  process.exitCode = failed.length === 0 && seeds > 0 ? 0 : 1;
}

function progressText({ run, next }: SeedProgress, { from, to }: SeedRange): string {
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1_000_000;
  const { seeds, steps, requests, deliveries, crashes } = run;
  const rate = `${cpuSeconds.toFixed(0)} s of CPU, ${((1_000 * cpuSeconds) / seeds).toFixed(2)} ms each`;
  const counts = `${steps} steps, ${requests} requests, ${deliveries} deliveries, ${crashes} crashes`;
  const rest = next <= to ? `\nGo on with ${next}-${to}` : '';
  return `${seeds} seeds from ${from}: ${rate}; ${counts}${rest}`;
}
