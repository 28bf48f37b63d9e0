import { planOf } from './plan.js';
import { runPlan } from './run-plan.js';
import type { Counts, Planted } from './simulation.js';

export interface FailedSeed {
  readonly seed: number;
  readonly broken: readonly string[];
}

export interface RunSeeds extends Counts {
  readonly seeds: number;
  readonly failed: readonly FailedSeed[];
}

export const nothing: Counts = { steps: 0, requests: 0, deliveries: 0, crashes: 0 };

export function sum(one: Counts, other: Counts): Counts {
  return {
    steps: one.steps + other.steps,
    requests: one.requests + other.requests,
    deliveries: one.deliveries + other.deliveries,
    crashes: one.crashes + other.crashes,
  };
}

/** Runs the plans of these seeds, up to so many failures. */
export async function runSeeds({
  from,
  to,
  maxFailures = 3,
  planted,
}: {
  readonly from: number;
  readonly to: number;
  readonly maxFailures?: number;
  readonly planted?: Planted;
}): Promise<RunSeeds> {
  const failed: FailedSeed[] = [];
  // Refusals are part of every run. `shrink`, which runs a seed again, has the stacks of unexpected errors.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  let counts = nothing;
  let seed = from;
  for (; seed <= to && failed.length < maxFailures; seed += 1) {
    const ended = await runSeed(seed, planted);
    counts = sum(counts, ended);
    if (ended.broken.length > 0) failed.push({ seed, broken: ended.broken });
  }
  Error.stackTraceLimit = stackTraceLimit;
  return { ...counts, seeds: seed - from, failed };
}

/** An error of the run itself counts as a broken promise. */
async function runSeed(
  seed: number,
  planted: Planted = {},
): Promise<Counts & { readonly broken: readonly string[] }> {
  try {
    return await runPlan(planOf(seed), { planted });
  } catch (error) {
    return { ...nothing, broken: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
  }
}
