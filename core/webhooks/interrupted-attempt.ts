import type { RecordedAttempt } from './ports/deliveries.js';

/** The attempt that `Outbox.recoverStale` records for an interrupted delivery, except for its start. */
export const interruptedAttempt: Omit<RecordedAttempt, 'startedAt'> = {
  duration: null,
  outcome: 'interrupted',
  phase: null,
  status: null,
  reason: 'cut off before an outcome was known',
  request: null,
  response: null,
};

/** A delivery fails after this many attempts that were all interrupted by crashes. */
export const maxClaims = 3;
