import { migration } from './steps.js';

/**
 * Where the history of this database was cut off: it continues from an older state, as after a restored backup or a
 * failover that lost the last transactions.
 */
export const historyCuts = migration(
  '0010-history-cuts',
  `
-- PostgreSQL's timeline, which each promotion and each recovery to a point in time changes. Null: not known.
ALTER TABLE meeting_clock ADD COLUMN timeline TEXT;
-- The last_at before each cut, as a list in JSON, the oldest first. Null: there was none.
ALTER TABLE meeting_clock ADD COLUMN cuts TEXT;
`,
);
