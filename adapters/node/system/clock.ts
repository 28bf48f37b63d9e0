import { setTimeout as timer } from 'node:timers/promises';
import type { Clock } from '@rollcall/core';

/** The clock of this machine. A pause keeps the process alive until it ends. */
export const systemClock: Clock = {
  now: () => new Date(),
  pause: (milliseconds) => timer(milliseconds),
};
