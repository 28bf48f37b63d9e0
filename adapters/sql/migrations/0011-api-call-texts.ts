import { migration } from './steps.js';

/** What the answer to a refused call said. Null in calls that were stored before. */
export const apiCallTexts = migration(
  '0011-api-call-texts',
  'ALTER TABLE api_calls ADD COLUMN error_text TEXT;',
);
