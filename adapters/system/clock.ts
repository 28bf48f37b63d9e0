import { setTimeout as timer } from 'node:timers/promises';
import type { Clock } from '@rollcall/core';

/** The machine's own time. A pause keeps the process alive until it has ended. */
export const systemClock: Clock = {
  now: () => new Date(),
  pause: (milliseconds) => timer(milliseconds),
};
