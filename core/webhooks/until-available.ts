import type { Uses } from '../deps.js';
import { Unavailable } from '../errors.js';

const MAX_PAUSE_MS = 5000;

/** Repeats `ask` until the database is available. */
export async function untilAvailable<Answer>(
  { clock }: Uses<'clock.pause'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let pause = 100; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await clock.pause(pause);
    }
  }
}
