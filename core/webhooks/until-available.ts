import type { Deps } from '../deps.js';
import { Unavailable } from '../errors.js';

const LONGEST_PAUSE = 5000;

/** Asks again for as long as it takes while the database is away. */
export async function untilAvailable<Answer>(
  { clock }: Pick<Deps, 'clock'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let pause = 100; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await clock.pause(pause);
    }
  }
}
