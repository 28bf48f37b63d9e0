import type { Uses } from '../deps.js';
import { Unavailable } from '../errors.js';

const MAX_PAUSE_MS = 5000;

/** Repeats the operation, with growing pauses, until it does not throw `Unavailable`. Passes other errors on. */
export async function untilAvailable<Result>(
  { clock }: Uses<'clock.pause'>,
  run: () => Promise<Result>,
): Promise<Result> {
  for (let pause = 100; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await clock.pause(pause);
    }
  }
}
