import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { type FailedSeed, nothing, type RunSeeds, runSeeds, sum } from './seeds.js';

/** The seeds from one to another, both included. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
}

export interface SeedThreads extends SeedRange {
  readonly threads: number;
  readonly maxFailures: number;
  /** Asked before each block of seeds. False: no more are run. All are run by default. */
  readonly goesOn?: () => boolean;
}

/** The runs so far. */
export interface SeedProgress {
  readonly run: RunSeeds;
  /** The first seed that has not been run. */
  readonly next: number;
}

/** A thread runs so many seeds, then asks for more. */
const BLOCK = 1_000;

if (!isMainThread)
  parentPort?.on('message', async (range: SeedRange & { readonly maxFailures: number }) =>
    parentPort?.postMessage(await runSeeds(range)),
  );

/**
 * Runs seeds in threads. In a thread, the test runner does not watch each promise, which would take as long as the
 * simulation. Returns the runs, and calls `onProgress` after each block.
 */
export async function runSeedsInThreads(
  { from, to, threads, maxFailures, goesOn = () => true }: SeedThreads,
  onProgress: (progress: SeedProgress) => void = () => undefined,
): Promise<RunSeeds> {
  /** The first seeds of the blocks that have not ended. */
  const open = new Set<number>();
  let failed: readonly FailedSeed[] = [];
  let counts = nothing;
  let seeds = 0;
  let next = from;

  async function work(): Promise<void> {
    const worker = new Worker(fileURLToPath(import.meta.url));
    while (next <= to && failed.length < maxFailures && goesOn()) {
      const block = { from: next, to: Math.min(to, next + BLOCK - 1), maxFailures };
      next = block.to + 1;
      open.add(block.from);
      worker.postMessage(block);
      const [run] = (await once(worker, 'message')) as [RunSeeds];
      counts = sum(counts, run);
      seeds += run.seeds;
      failed = [...failed, ...run.failed];
      if (block.from + run.seeds > block.to) open.delete(block.from);
      onProgress({ run: { ...counts, seeds, failed }, next: Math.min(next, ...open) });
    }
    await worker.terminate();
  }

  await Promise.all(Array.from({ length: threads }, work));
  return { ...counts, seeds, failed: failed.toSorted((one, other) => one.seed - other.seed) };
}
