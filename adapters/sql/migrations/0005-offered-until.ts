import { inDialect } from './0001-baseline.js';
import { change } from './steps.js';

/** When the offer of a seat ends. Null: not known. */
const column = 'ALTER TABLE waitlist_entries ADD COLUMN offered_until TIME';

export const offeredUntil = {
  name: '0005-offered-until',
  sqlite: `${inDialect('sqlite', column)};`,
  postgres: [change(inDialect('postgres', column))],
};
