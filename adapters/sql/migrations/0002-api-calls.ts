import { index, migration } from './steps.js';

export const apiCalls = migration(
  '0002-api-calls',
  `
-- The latest calls of the API. The newest of each organization stay.
CREATE TABLE api_calls (
  id ID,
  organization_id WHOLE NOT NULL REFERENCES organizations ON DELETE CASCADE,
  at MOMENT,
  method TEXT NOT NULL,
  operation TEXT NOT NULL,
  path TEXT NOT NULL,
  status SMALL,
  error_code TEXT,
  request_id TEXT NOT NULL,
  milliseconds WHOLE NOT NULL
) STRICT;
CREATE INDEX api_calls_by_time ON api_calls (organization_id, at, id);

-- What people tell access keys apart by. A key is known by its generation, because a program that does not know this
-- table can replace it.
CREATE TABLE access_key_labels (
  organization_id WHOLE NOT NULL REFERENCES organizations ON DELETE CASCADE,
  generation WHOLE NOT NULL,
  last_digits TEXT,
  name TEXT,
  PRIMARY KEY (organization_id, generation)
) STRICT;
`,
  // What an entry is about: the person, and the delivery or invitation. Null in entries that were made before.
  `
ALTER TABLE audit_entries ADD COLUMN about_user_id WHOLE;
ALTER TABLE audit_entries ADD COLUMN object_id TEXT;
`,
  index('audit_entries_by_actor', 'audit_entries (organization_id, who, user_id, at, id)'),
  index('audit_entries_by_action', 'audit_entries (organization_id, action, at, id)'),
);
