import { inDialect } from './0001-baseline.js';
import { change } from './steps.js';

/** What the answer to a refused call said. Null in calls that were stored before. */
const columns = `
ALTER TABLE api_calls ADD COLUMN error_text TEXT;
`;

export const apiCallTexts = {
  name: '0011-api-call-texts',
  sqlite: inDialect('sqlite', columns),
  postgres: [change(inDialect('postgres', columns))],
};
