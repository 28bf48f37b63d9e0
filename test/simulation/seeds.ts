import { planOf } from './plan.js';
import { runPlan } from './run-plan.js';
import type { Planted } from './world.js';

export interface FailedSeed {
  readonly seed: number;
  readonly broken: readonly string[];
}

export interface RunSeeds {
  readonly seeds: number;
  readonly steps: number;
  readonly failed: readonly FailedSeed[];
}

/** Runs the plans of these seeds, up to so many failures or until the time is over. */
export async function runSeeds({
  from,
  to,
  maxFailures = 3,
  maxSeconds = Number.POSITIVE_INFINITY,
  planted,
}: {
  readonly from: number;
  readonly to: number;
  readonly maxFailures?: number;
  readonly maxSeconds?: number;
  readonly planted?: Planted;
}): Promise<RunSeeds> {
  const failed: FailedSeed[] = [];
  // Refusals are part of every run. `shrink`, which runs a seed again, has the stacks of unexpected errors.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const end = performance.now() + maxSeconds * 1_000;
  let steps = 0;
  let seed = from;
  for (; seed <= to && failed.length < maxFailures && performance.now() < end; seed += 1) {
    const ended = await runSeed(seed, planted);
    steps += ended.steps;
    if (ended.broken.length > 0) failed.push({ seed, broken: ended.broken });
  }
  Error.stackTraceLimit = stackTraceLimit;
  return { seeds: seed - from, steps, failed };
}

/** An error of the run itself counts as a broken promise. */
async function runSeed(
  seed: number,
  planted: Planted = {},
): Promise<{ readonly steps: number; readonly broken: readonly string[] }> {
  try {
    return await runPlan(planOf(seed), { planted });
  } catch (error) {
    return { steps: 0, broken: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
  }
}
