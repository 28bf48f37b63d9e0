/**
 * The whole schema on SQLite. Timestamps are texts of one length (`2026-11-20T18:00:00.000Z`), so that they sort as text
 * and are returned as they are. Keys of data that belongs to an organization begin with its id.
 */
export const schema = `
-- Organizations and their access keys

CREATE TABLE organizations (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL,
  eap INTEGER NOT NULL CHECK (eap IN (0, 1)),
  time_zone TEXT,
  access_key_hash TEXT UNIQUE,
  access_key_generation INTEGER NOT NULL DEFAULT 0,
  access_key_created_at TEXT,
  access_key_used_at TEXT,
  -- The key before the current one, which can stay in use for a while.
  previous_key_hash TEXT,
  previous_key_generation INTEGER,
  previous_key_used_at TEXT,
  previous_key_until TEXT,
  previous_key_replaced_by INTEGER
) STRICT;
CREATE INDEX previous_access_keys ON organizations (previous_key_hash) WHERE previous_key_hash IS NOT NULL;

-- The calls that can be repeated, with their answers.
CREATE TABLE idempotency_keys (
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  operation TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  run TEXT NOT NULL,
  begun_at TEXT NOT NULL,
  -- As \`Secrets.encrypt\` wrote it. Null while the first run has no answer.
  sealed_answer TEXT,
  PRIMARY KEY (organization_id, operation, key)
) STRICT;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (begun_at);

-- Users and members

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  uuid TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  avatar TEXT,
  password_hash TEXT,
  created_at TEXT NOT NULL
) STRICT;

-- The users whose number here is not the platform's. The others are the platform's users with the same number.
CREATE TABLE platform_numbers (
  user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  platform_id INTEGER UNIQUE CHECK (platform_id BETWEEN 1 AND 999999999999)
) STRICT;

-- Numbers that are assigned here begin above those of the platform.
INSERT INTO sqlite_sequence (name, seq) VALUES ('organizations', 1000000000000), ('users', 1000000000000);

CREATE TABLE memberships (
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  uuid TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  idp_id TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, user_id),
  UNIQUE (organization_id, uuid)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX memberships_by_idp_id ON memberships (organization_id, idp_id) WHERE idp_id IS NOT NULL;
CREATE INDEX memberships_by_user ON memberships (user_id);

CREATE TABLE invitations (
  id TEXT NOT NULL PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  user_uuid TEXT NOT NULL,
  email TEXT NOT NULL,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  key_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  accepted_at TEXT,
  revoked_at TEXT,
  invited_by TEXT,
  invited_by_user_id INTEGER,
  -- The member gets it on acceptance.
  idp_id TEXT,
  UNIQUE (organization_id, user_uuid)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX pending_invitations ON invitations (organization_id, email)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;
CREATE INDEX invitations_by_time ON invitations (organization_id, created_at);
CREATE UNIQUE INDEX pending_idp_ids ON invitations (organization_id, idp_id)
  WHERE idp_id IS NOT NULL AND accepted_at IS NULL AND revoked_at IS NULL;
CREATE INDEX invitations_by_email ON invitations (organization_id, email, created_at);
-- With this index, \`prune\` finds the expired ones without reading the others.
CREATE INDEX ended_invitations ON invitations (coalesce(accepted_at, revoked_at));
CREATE INDEX invitations_by_idp_id ON invitations (organization_id, idp_id, created_at, id);

-- Signing in

CREATE TABLE login_links (
  hash TEXT NOT NULL PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  redeemed_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX login_links_by_user ON login_links (user_id);
CREATE INDEX login_links_by_time ON login_links (created_at);

CREATE TABLE sessions (
  hash TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  bound_to INTEGER REFERENCES organizations ON DELETE CASCADE,
  opened_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  -- The browser and its system.
  device TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_start ON sessions (opened_at);

CREATE TRIGGER memberships_removed AFTER DELETE ON memberships
  BEGIN
    DELETE FROM login_links WHERE user_id = OLD.user_id AND organization_id = OLD.organization_id;
    DELETE FROM sessions WHERE user_id = OLD.user_id AND bound_to = OLD.organization_id;
  END;

CREATE TABLE password_resets (
  hash TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX password_resets_by_user ON password_resets (user_id);
CREATE INDEX password_resets_by_time ON password_resets (created_at);

CREATE TABLE mails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- What the mail is about. Its text is written when it is sent.
  kind TEXT NOT NULL,
  email TEXT NOT NULL,
  -- What it is about, unless it is about the recipient's account. They need not exist any more.
  organization_id INTEGER,
  invitation_id TEXT,
  created_at TEXT NOT NULL,
  due_at TEXT NOT NULL,
  -- The claim that sends it, or sent it last.
  claim TEXT,
  attempts INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX mails_by_due_time ON mails (due_at, id);
CREATE INDEX mails_by_time ON mails (created_at);
CREATE INDEX mails_by_email ON mails (email);

CREATE TABLE audit_entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  at TEXT NOT NULL,
  who TEXT NOT NULL,
  -- No reference to users, because an entry outlives its user.
  user_id INTEGER,
  from_address TEXT,
  action TEXT NOT NULL,
  subject TEXT,
  CHECK ((who = 'user') = (user_id IS NOT NULL))
) STRICT;
CREATE INDEX audit_entries_by_time ON audit_entries (organization_id, at);

-- Meetings

CREATE TABLE meetings (
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  organization_id INTEGER REFERENCES organizations DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  meeting_type TEXT NOT NULL,
  start_time TEXT NOT NULL CHECK (length(start_time) = 24),
  end_time TEXT NOT NULL CHECK (length(end_time) = 24),
  duration INTEGER NOT NULL,
  status TEXT NOT NULL,
  topic TEXT NOT NULL,
  special_focus TEXT NOT NULL,
  host TEXT NOT NULL,
  location TEXT NOT NULL,
  -- The JSON number as text: SQLite prints floating-point numbers with 15 digits.
  price TEXT CHECK (json_type(price) IN ('integer', 'real')),
  max_attendees INTEGER NOT NULL,
  meeting_description TEXT,
  group_leader_id INTEGER REFERENCES users DEFERRABLE INITIALLY DEFERRED,
  privacy INTEGER NOT NULL CHECK (privacy IN (0, 1)),
  eap INTEGER NOT NULL CHECK (eap IN (0, 1)),
  allow_meeting_donation INTEGER NOT NULL CHECK (allow_meeting_donation IN (0, 1)),
  invitation_only INTEGER NOT NULL CHECK (invitation_only IN (0, 1)),
  wait_list INTEGER NOT NULL CHECK (wait_list IN (0, 1)),
  updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;
CREATE INDEX meetings_by_start ON meetings (organization_id, start_time);
CREATE INDEX complete_meetings ON meetings (organization_id, start_time) WHERE status = 'complete';
CREATE INDEX open_meetings ON meetings (organization_id, start_time)
  WHERE status NOT IN ('complete', 'cancel');
CREATE INDEX meetings_by_leader ON meetings (group_leader_id) WHERE group_leader_id IS NOT NULL;
CREATE INDEX meetings_by_update ON meetings (organization_id, updated_at);

-- The organizations that see a meeting of the service.
CREATE TABLE service_meeting_organizations (
  meeting_id INTEGER NOT NULL REFERENCES meetings ON DELETE CASCADE,
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  start_time TEXT NOT NULL,
  updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  PRIMARY KEY (meeting_id, organization_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX service_meetings_by_start ON service_meeting_organizations (organization_id, start_time, meeting_id);
CREATE INDEX service_meetings_by_update ON service_meeting_organizations (organization_id, updated_at, meeting_id);

CREATE TABLE registrations (
  meeting_id INTEGER NOT NULL REFERENCES meetings ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  registered_at TEXT NOT NULL,
  end_time TEXT NOT NULL,
  PRIMARY KEY (meeting_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX registrations_by_user ON registrations (user_id, end_time, registered_at);

CREATE TABLE waitlist_entries (
  meeting_id INTEGER NOT NULL REFERENCES meetings ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'accepted', 'rejected', 'offered', 'expired')),
  created_at TEXT NOT NULL,
  end_time TEXT NOT NULL,
  PRIMARY KEY (meeting_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX waitlist_entries_by_user ON waitlist_entries (user_id, end_time, status);

-- The number of seats of erased people, in meetings that had ended.
CREATE TABLE erased_seats (
  meeting_id INTEGER NOT NULL PRIMARY KEY REFERENCES meetings ON DELETE CASCADE,
  seats INTEGER NOT NULL
) STRICT;

-- Calendar programs read the meetings of a member with this hash.
CREATE TABLE calendar_feeds (
  organization_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, user_id),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Copied columns make reads cheap. Only these triggers keep them right: an insert with the right value costs no second
-- write, and one with a wrong value is corrected. A large import drops the triggers and creates them again.

CREATE TRIGGER registrations_end_time AFTER INSERT ON registrations
  WHEN NEW.end_time IS NOT (SELECT end_time FROM meetings WHERE id = NEW.meeting_id)
  BEGIN
    UPDATE registrations SET end_time = (SELECT end_time FROM meetings WHERE id = NEW.meeting_id)
      WHERE meeting_id = NEW.meeting_id AND user_id = NEW.user_id;
  END;
CREATE TRIGGER waitlist_entries_end_time AFTER INSERT ON waitlist_entries
  WHEN NEW.end_time IS NOT (SELECT end_time FROM meetings WHERE id = NEW.meeting_id)
  BEGIN
    UPDATE waitlist_entries SET end_time = (SELECT end_time FROM meetings WHERE id = NEW.meeting_id)
      WHERE meeting_id = NEW.meeting_id AND user_id = NEW.user_id;
  END;
CREATE TRIGGER service_meeting_organizations_start_time AFTER INSERT ON service_meeting_organizations
  WHEN NEW.start_time IS NOT (SELECT start_time FROM meetings WHERE id = NEW.meeting_id)
  BEGIN
    UPDATE service_meeting_organizations
      SET start_time = (SELECT start_time FROM meetings WHERE id = NEW.meeting_id)
      WHERE meeting_id = NEW.meeting_id AND organization_id = NEW.organization_id;
  END;
CREATE TRIGGER meetings_end_time AFTER UPDATE OF end_time ON meetings WHEN NEW.end_time IS NOT OLD.end_time
  BEGIN
    UPDATE registrations SET end_time = NEW.end_time WHERE meeting_id = NEW.id;
    UPDATE waitlist_entries SET end_time = NEW.end_time WHERE meeting_id = NEW.id;
  END;
CREATE TRIGGER meetings_start_time AFTER UPDATE OF start_time ON meetings
  WHEN NEW.start_time IS NOT OLD.start_time
  BEGIN
    UPDATE service_meeting_organizations SET start_time = NEW.start_time WHERE meeting_id = NEW.id;
  END;

-- Stored counts, because \`count(*)\` would be most of the work of a page.

-- The completed meetings of each organization.
CREATE TABLE complete_meeting_counts (
  organization_id INTEGER NOT NULL PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  meetings INTEGER NOT NULL,
  eap_meetings INTEGER NOT NULL
) STRICT;

CREATE TRIGGER complete_meetings_in AFTER INSERT ON meetings
  WHEN NEW.status = 'complete' AND NEW.organization_id IS NOT NULL
  BEGIN
    INSERT INTO complete_meeting_counts VALUES (NEW.organization_id, 1, NEW.eap)
      ON CONFLICT (organization_id) DO UPDATE
      SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings;
  END;
CREATE TRIGGER complete_meetings_out AFTER DELETE ON meetings
  WHEN OLD.status = 'complete' AND OLD.organization_id IS NOT NULL
  BEGIN
    UPDATE complete_meeting_counts SET meetings = meetings - 1, eap_meetings = eap_meetings - OLD.eap
      WHERE organization_id = OLD.organization_id;
  END;
CREATE TRIGGER complete_meetings_changed AFTER UPDATE OF organization_id, status, eap ON meetings
  WHEN OLD.organization_id IS NOT NEW.organization_id OR OLD.status <> NEW.status OR OLD.eap <> NEW.eap
  BEGIN
    UPDATE complete_meeting_counts SET meetings = meetings - 1, eap_meetings = eap_meetings - OLD.eap
      WHERE organization_id = OLD.organization_id AND OLD.status = 'complete';
    INSERT INTO complete_meeting_counts
      SELECT NEW.organization_id, 1, NEW.eap WHERE NEW.status = 'complete' AND NEW.organization_id IS NOT NULL
      ON CONFLICT (organization_id) DO UPDATE
      SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings;
  END;

-- The completed meetings of the service that are tied to each organization.
CREATE TABLE tied_meeting_counts (
  organization_id INTEGER NOT NULL PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  meetings INTEGER NOT NULL,
  eap_meetings INTEGER NOT NULL
) STRICT;

CREATE TRIGGER ties_counted_in AFTER INSERT ON service_meeting_organizations
  BEGIN
    INSERT INTO tied_meeting_counts
      SELECT NEW.organization_id, 1, eap FROM meetings
      WHERE id = NEW.meeting_id AND organization_id IS NULL AND status = 'complete'
      ON CONFLICT (organization_id) DO UPDATE
      SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings;
  END;
CREATE TRIGGER ties_counted_out AFTER DELETE ON service_meeting_organizations
  BEGIN
    UPDATE tied_meeting_counts SET meetings = meetings - 1,
        eap_meetings = eap_meetings - (SELECT eap FROM meetings WHERE id = OLD.meeting_id)
      WHERE organization_id = OLD.organization_id AND EXISTS (
        SELECT 1 FROM meetings WHERE id = OLD.meeting_id AND organization_id IS NULL AND status = 'complete'
      );
  END;
CREATE TRIGGER tied_meetings_in AFTER INSERT ON meetings
  WHEN NEW.organization_id IS NULL AND NEW.status = 'complete'
  BEGIN
    INSERT INTO tied_meeting_counts
      SELECT organization_id, 1, NEW.eap FROM service_meeting_organizations
      WHERE meeting_id = NEW.id AND true
      ON CONFLICT (organization_id) DO UPDATE
      SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings;
  END;
-- The ties of a deleted meeting are deleted after it, when its status is no longer known. So it is subtracted before.
CREATE TRIGGER tied_meetings_out BEFORE DELETE ON meetings
  WHEN OLD.organization_id IS NULL AND OLD.status = 'complete'
  BEGIN
    UPDATE tied_meeting_counts SET meetings = meetings - 1, eap_meetings = eap_meetings - OLD.eap
      WHERE true AND organization_id IN (
        SELECT organization_id FROM service_meeting_organizations WHERE meeting_id = OLD.id
      );
  END;
CREATE TRIGGER tied_meetings_changed AFTER UPDATE OF organization_id, status, eap ON meetings
  WHEN (OLD.organization_id IS NULL OR NEW.organization_id IS NULL)
    AND (OLD.organization_id IS NOT NEW.organization_id OR OLD.status <> NEW.status OR OLD.eap <> NEW.eap)
  BEGIN
    UPDATE tied_meeting_counts SET meetings = meetings - 1, eap_meetings = eap_meetings - OLD.eap
      WHERE OLD.organization_id IS NULL AND OLD.status = 'complete' AND organization_id IN (
        SELECT organization_id FROM service_meeting_organizations WHERE meeting_id = OLD.id
      );
    INSERT INTO tied_meeting_counts
      SELECT organization_id, 1, NEW.eap FROM service_meeting_organizations
      WHERE meeting_id = NEW.id AND NEW.organization_id IS NULL AND NEW.status = 'complete'
      ON CONFLICT (organization_id) DO UPDATE
      SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings;
  END;

-- What partners read as changes of their meetings

-- One row, or none before the first import: its time. Changes with later times are not read yet.
CREATE TABLE meeting_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_at TEXT NOT NULL
) STRICT;

-- The meetings that an organization no longer sees.
CREATE TABLE meeting_tombstones (
  meeting_id INTEGER NOT NULL,
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  changed_at TEXT NOT NULL,
  PRIMARY KEY (meeting_id, organization_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX meeting_tombstones_by_time ON meeting_tombstones (organization_id, changed_at, meeting_id);

-- The time of the newest tombstone that was pruned.
CREATE TABLE pruned_tombstones (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  changed_at TEXT NOT NULL
) STRICT;

-- Webhooks, deliveries and the feed of events

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL UNIQUE REFERENCES organizations ON DELETE CASCADE,
  url TEXT,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  events TEXT NOT NULL,
  sealed_secret TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- Its health: failures in a row since \`failing_since\`, and for how many of them the last notice was given.
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since TEXT,
  delivered_at TEXT,
  noticed INTEGER NOT NULL DEFAULT 0,
  -- The signing secret before the current one, which can stay in use for a while.
  previous_sealed_secret TEXT,
  previous_secret_until TEXT,
  -- The last of \`webhook_outcomes\` that its health counts.
  counted_outcome INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The outcomes of deliveries that the health of a webhook does not count yet.
CREATE TABLE webhook_outcomes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('delivered', 'failed')),
  finished_at TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_outcomes_by_organization ON webhook_outcomes (organization_id, id);

CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  event_id TEXT NOT NULL UNIQUE,
  event_name TEXT NOT NULL,
  body TEXT NOT NULL,
  -- Whom the body names. Null: nobody who is stored.
  user_id INTEGER,
  user_uuid TEXT,
  user_email TEXT,
  state TEXT NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'sending', 'delivered', 'failed', 'skipped')),
  created_at TEXT NOT NULL,
  claim TEXT,
  claimed_at TEXT,
  claims INTEGER NOT NULL DEFAULT 0,
  -- Null in a failed delivery means that it is held.
  finished_at TEXT,
  is_test INTEGER NOT NULL DEFAULT 0 CHECK (is_test IN (0, 1)),
  is_dropped INTEGER NOT NULL DEFAULT 0,
  -- Whether it told of a person who has been erased.
  is_erased INTEGER NOT NULL DEFAULT 0,
  CHECK ((state = 'sending') = (claim IS NOT NULL AND claimed_at IS NOT NULL))
) STRICT;
CREATE INDEX deliveries_by_organization ON deliveries (organization_id, created_at);
CREATE INDEX deliveries_by_time ON deliveries (created_at);
CREATE INDEX failed_deliveries ON deliveries (created_at) WHERE state = 'failed';
CREATE INDEX pending_deliveries ON deliveries (organization_id, id) WHERE state = 'pending';
CREATE INDEX sending_deliveries ON deliveries (organization_id, claimed_at) WHERE state = 'sending';
CREATE INDEX test_deliveries ON deliveries (organization_id, created_at) WHERE is_test;
CREATE INDEX held_deliveries ON deliveries (organization_id, created_at)
  WHERE state = 'failed' AND finished_at IS NULL;

CREATE TABLE attempts (
  delivery_id INTEGER NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  number INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  duration REAL,
  outcome TEXT NOT NULL CHECK (outcome IN ('delivered', 'failed', 'interrupted')),
  phase TEXT CHECK (phase IN ('address', 'lookup', 'connect', 'tls', 'request', 'answer')),
  status INTEGER,
  reason TEXT NOT NULL,
  -- JSON.
  request TEXT,
  response TEXT,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_feeds (
  organization_id INTEGER NOT NULL PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  last_position INTEGER NOT NULL DEFAULT 0,
  pruned_position INTEGER NOT NULL DEFAULT 0
) STRICT;

-- An event is stored without a position, and gets one when the feed is read.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
  event_id TEXT NOT NULL,
  event_name TEXT NOT NULL,
  body TEXT NOT NULL,
  -- Whom the body names. Null: nobody who is stored.
  user_id INTEGER,
  user_uuid TEXT,
  user_email TEXT,
  created_at TEXT NOT NULL,
  position INTEGER
) STRICT;
CREATE UNIQUE INDEX events_by_position ON events (organization_id, position);
CREATE INDEX events_without_position ON events (organization_id, id) WHERE position IS NULL;

-- Operating

-- One row: the id of the secret key that the database is used with.
CREATE TABLE secret_key (key_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- When each secret key was last in use.
CREATE TABLE secret_key_uses (key_id TEXT NOT NULL PRIMARY KEY, used_at TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- One row once the file is served: the id of the deployment, how often deliveries were claimed in it, and where the file
-- was last served.
CREATE TABLE deployment (
  id TEXT PRIMARY KEY,
  claims INTEGER NOT NULL,
  path TEXT
) STRICT;

CREATE TABLE instances (
  id TEXT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL,
  started_at TEXT NOT NULL,
  seen_at TEXT NOT NULL
) STRICT;

CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,
  from_address TEXT,
  began_at TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  result TEXT NOT NULL,
  records INTEGER NOT NULL,
  -- JSON: how many records of each kind were stored and removed. Null when nothing was imported.
  counts TEXT,
  -- The first mistake, without its message, which can contain personal data.
  problem_line INTEGER,
  problem_field TEXT,
  -- An import with an Idempotency-Key has the answer to repeat. Older imports have lost their keys to newer ones.
  key TEXT,
  fingerprint TEXT,
  answer TEXT
) STRICT;
CREATE UNIQUE INDEX imports_by_key ON imports (key) WHERE key IS NOT NULL;

-- How far each followed file has been imported.
CREATE TABLE import_places (
  file TEXT NOT NULL PRIMARY KEY,
  identity TEXT NOT NULL,
  position INTEGER NOT NULL,
  line INTEGER NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
`;
