import type { Attempt } from './ports.js';

/** The attempt that `Outbox.recoverStale` records for an interrupted delivery, except for its start. */
export const interruptedAttempt: Omit<Attempt, 'startedAt'> = {
  duration: null,
  outcome: 'interrupted',
  phase: null,
  status: null,
  reason: 'cut off before an outcome was known',
};
