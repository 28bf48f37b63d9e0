import { index, migration } from './steps.js';

/** Deliveries stay undelivered until someone resends or dismisses them. The pages of an organization count its own. */
const failed = `deliveries (organization_id, created_at) WHERE state = 'failed' AND finished_at IS NOT NULL`;

/** The migrations since the schema of the first release, in order. */
export const sinceBaseline = [
  migration(
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
  ),
  migration(
    '0003-invited-role',
    `
ALTER TABLE invitations ADD COLUMN role TEXT NOT NULL DEFAULT 'member';
ALTER TABLE invitations ADD COLUMN expires_at TIME;
`,
    `
-- When the user last signed in with the password.
ALTER TABLE users ADD COLUMN signed_in_at TIME;
`,
    // The pending invitations that will expire. There is never one for long that has expired.
    index(
      'expiring_invitations',
      `invitations (organization_id, expires_at)
  WHERE expires_at IS NOT NULL AND accepted_at IS NULL AND revoked_at IS NULL`,
    ),
  ),
  migration('0004-failed-by-organization', index('failed_by_organization', failed)),
  // When the offer of a seat ends. Null: not known.
  migration('0005-offered-until', 'ALTER TABLE waitlist_entries ADD COLUMN offered_until TIME;'),
  migration(
    '0006-sign-on',
    `
-- The identity provider of an organization.
CREATE TABLE sign_on (
  organization_id WHOLE PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  client_id TEXT NOT NULL,
  sealed_secret TEXT NOT NULL,
  id_claim TEXT NOT NULL,
  hosted_domain TEXT,
  admits TEXT NOT NULL,
  acr TEXT,
  is_on FLAG,
  is_required FLAG,
  -- A day, such as 2027-01-31.
  secret_expires_on TEXT,
  -- The last trial that passed, and its owner. No owner: the person was erased.
  tested_at TIME,
  tested_by WHOLE,
  changed_at MOMENT
) STRICT;
CREATE INDEX sign_on_by_tester ON sign_on (tested_by);

-- Who the people of identity providers are. An identity goes with the membership.
CREATE TABLE identities (
  organization_id WHOLE NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id WHOLE NOT NULL,
  linked_at MOMENT,
  used_at MOMENT,
  PRIMARY KEY (organization_id, issuer, subject),
  UNIQUE (organization_id, user_id),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
) STRICT;
`,
    // The password of the user never opens such a membership.
    'ALTER TABLE memberships ADD COLUMN needs_sign_on OFF;',
    // How a session began, and the session at the identity provider. Null in those that an earlier release starts.
    `
ALTER TABLE sessions ADD COLUMN started_by TEXT;
ALTER TABLE sessions ADD COLUMN sid TEXT;
`,
    index('sessions_by_sign_on', `sessions (bound_to, user_id) WHERE started_by = 'sign-on'`),
  ),
  migration(
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
  ),
  migration(
    '0008-setup-links',
    `
-- The link with which the IT staff of an organization set up sign-on and the directory.
CREATE TABLE setup_links (
  organization_id WHOLE PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  user_id WHOLE NOT NULL,
  created_at MOMENT,
  expires_at MOMENT,
  opened_at TIME,
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
) STRICT;
`,
    index('sessions_by_setup_link', `sessions (bound_to) WHERE started_by = 'setup-link'`),
  ),
  migration(
    '0009-second-factor',
    `
-- Passkeys of users. Keys and ids are in base64url, and the ways to reach one are separated by commas.
CREATE TABLE passkeys (
  credential_id TEXT PRIMARY KEY,
  user_id WHOLE NOT NULL REFERENCES users ON DELETE CASCADE,
  public_key TEXT NOT NULL,
  counter WHOLE NOT NULL,
  transports TEXT NOT NULL,
  is_backed_up FLAG,
  name TEXT NOT NULL,
  created_at MOMENT,
  used_at TIME
) STRICT;
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- The secrets of authenticator apps. One that is not confirmed proves nothing.
CREATE TABLE code_secrets (
  user_id WHOLE PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  sealed_secret TEXT NOT NULL,
  -- The 30 seconds whose code was used last, by their number.
  last_step WHOLE NOT NULL,
  confirmed_at TIME
) STRICT;

CREATE TABLE recovery_codes (
  user_id WHOLE NOT NULL REFERENCES users ON DELETE CASCADE,
  hash TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT;
`,
    'ALTER TABLE organizations ADD COLUMN requires_second_factor OFF;',
    // Sessions that an earlier release starts have none.
    'ALTER TABLE sessions ADD COLUMN has_second_factor OFF;',
  ),
  // Where the history of this database was cut off: it continues from an older state, as after a restored backup or a
  // failover that lost the last transactions.
  migration(
    '0010-history-cuts',
    `
-- PostgreSQL's timeline, which each promotion and each recovery to a point in time changes. Null: not known.
ALTER TABLE meeting_clock ADD COLUMN timeline TEXT;
-- The last_at before each cut, as a list in JSON, the oldest first. Null: there was none.
ALTER TABLE meeting_clock ADD COLUMN cuts TEXT;
`,
  ),
  // What the answer to a refused call said. Null in calls that were stored before.
  migration('0011-api-call-texts', 'ALTER TABLE api_calls ADD COLUMN error_text TEXT;'),
];
