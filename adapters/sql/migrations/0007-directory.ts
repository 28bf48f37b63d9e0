import { migration } from './steps.js';

export const directory = migration(
  '0007-directory',
  `
-- The tokens with which directories call. The one that has no end is the current one.
CREATE TABLE directory_tokens (
  hash TEXT PRIMARY KEY,
  organization_id WHOLE NOT NULL REFERENCES organizations ON DELETE CASCADE,
  created_at MOMENT,
  used_at TIME,
  ends_at TIME
) STRICT;
CREATE INDEX directory_tokens_by_organization ON directory_tokens (organization_id);
CREATE UNIQUE INDEX current_directory_tokens ON directory_tokens (organization_id) WHERE ends_at IS NULL;

-- What directories have written about people, who are members with the same UUID or were invited with it.
CREATE TABLE directory_people (
  organization_id WHOLE NOT NULL REFERENCES organizations ON DELETE CASCADE,
  uuid UUID NOT NULL,
  user_name TEXT NOT NULL,
  -- In lower case. Null: the person was removed.
  user_name_key TEXT,
  external_id TEXT,
  given_name TEXT,
  family_name TEXT,
  display_name TEXT,
  email TEXT,
  -- As addresses of users are stored.
  email_key TEXT,
  is_active FLAG,
  changed_at MOMENT,
  -- The membership that has ended, to be restored. Of a person who was removed, only the user.
  kept_user_id WHOLE REFERENCES users ON DELETE CASCADE,
  kept_role TEXT,
  kept_idp_id TEXT,
  kept_joined_at TIME,
  kept_needs_sign_on OFF,
  removed_at TIME,
  PRIMARY KEY (organization_id, uuid)
) STRICT;
CREATE UNIQUE INDEX directory_people_by_user_name ON directory_people (user_name_key, organization_id);
CREATE UNIQUE INDEX directory_people_by_external_id ON directory_people (organization_id, external_id);
CREATE UNIQUE INDEX directory_people_by_email ON directory_people (email_key, organization_id);
CREATE INDEX directory_people_by_user ON directory_people (kept_user_id);
CREATE INDEX directory_people_by_uuid ON directory_people (uuid);

-- The latest requests of directories. The newest of each organization stay.
CREATE TABLE directory_requests (
  id ID,
  organization_id WHOLE NOT NULL REFERENCES organizations ON DELETE CASCADE,
  at MOMENT,
  method TEXT NOT NULL,
  status SMALL NOT NULL,
  reason TEXT NOT NULL,
  uuid UUID
) STRICT;
CREATE INDEX directory_requests_by_time ON directory_requests (organization_id, at, id);
`,
);
