import { migration } from './steps.js';

/** When the offer of a seat ends. Null: not known. */
export const offeredUntil = migration(
  '0005-offered-until',
  'ALTER TABLE waitlist_entries ADD COLUMN offered_until TIME;',
);
