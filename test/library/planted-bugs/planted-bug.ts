import type { ContractTest } from '@rollcall/core/testing';

/** An adapter that breaks one promise, and the suite that must notice it. */
export interface PlantedBug {
  /** What the adapter does wrong. */
  readonly bug: string;
  readonly suite: readonly ContractTest[];
}

/** The message of the first test that fails, with the test's name; null if all pass. */
export async function firstFailure(
  suite: readonly ContractTest[],
): Promise<{ readonly promise: string; readonly message: string } | null> {
  for (const { name, run } of suite) {
    try {
      await run();
    } catch (error) {
      return { promise: name, message: error instanceof Error ? error.message : String(error) };
    }
  }
  return null;
}
