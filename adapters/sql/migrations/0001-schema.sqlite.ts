import type { Knex } from 'knex';

/**
 * Timestamps are texts of one length (`2026-11-20T18:00:00.000Z`), so that they sort as text and are returned as they
 * are. Keys of data that belongs to an organization begin with its id.
 */
const tables = [
  `CREATE TABLE organizations (
    id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
    name TEXT NOT NULL,
    eap INTEGER NOT NULL CHECK (eap IN (0, 1)),
    time_zone TEXT,
    access_key_hash TEXT UNIQUE,
    access_key_generation INTEGER NOT NULL DEFAULT 0,
    access_key_created_at TEXT
  ) STRICT`,

  `CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
    uuid TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL UNIQUE,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    avatar TEXT,
    password_hash TEXT,
    created_at TEXT NOT NULL
  ) STRICT`,

  `CREATE TABLE memberships (
    organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    uuid TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    idp_id TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (organization_id, user_id),
    UNIQUE (organization_id, uuid)
  ) STRICT, WITHOUT ROWID`,
  `CREATE UNIQUE INDEX memberships_by_idp_id ON memberships (organization_id, idp_id) WHERE idp_id IS NOT NULL`,
  `CREATE INDEX memberships_by_user ON memberships (user_id)`,

  `CREATE TABLE invitations (
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
    UNIQUE (organization_id, user_uuid)
  ) STRICT, WITHOUT ROWID`,
  `CREATE UNIQUE INDEX pending_invitations ON invitations (organization_id, email)
    WHERE accepted_at IS NULL AND revoked_at IS NULL`,

  `CREATE TABLE login_links (
    hash TEXT NOT NULL PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    redeemed_at TEXT
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX login_links_by_user ON login_links (user_id)`,

  `CREATE TABLE sessions (
    hash TEXT NOT NULL PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    bound_to INTEGER REFERENCES organizations ON DELETE CASCADE,
    opened_at TEXT NOT NULL,
    seen_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX sessions_by_user ON sessions (user_id)`,

  `CREATE TRIGGER memberships_removed AFTER DELETE ON memberships
    BEGIN
      DELETE FROM login_links WHERE user_id = OLD.user_id AND organization_id = OLD.organization_id;
      DELETE FROM sessions WHERE user_id = OLD.user_id AND bound_to = OLD.organization_id;
    END`,
];

/** The price is the JSON number as text: SQLite prints floating-point numbers with 15 digits. */
const meetings = [
  `CREATE TABLE meetings (
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
    price TEXT CHECK (json_type(price) IN ('integer', 'real')),
    max_attendees INTEGER NOT NULL,
    meeting_description TEXT,
    group_leader_id INTEGER REFERENCES users DEFERRABLE INITIALLY DEFERRED,
    privacy INTEGER NOT NULL CHECK (privacy IN (0, 1)),
    eap INTEGER NOT NULL CHECK (eap IN (0, 1)),
    allow_meeting_donation INTEGER NOT NULL CHECK (allow_meeting_donation IN (0, 1)),
    invitation_only INTEGER NOT NULL CHECK (invitation_only IN (0, 1)),
    wait_list INTEGER NOT NULL CHECK (wait_list IN (0, 1))
  ) STRICT`,
  `CREATE INDEX meetings_by_start ON meetings (organization_id, start_time)`,
  `CREATE INDEX complete_meetings ON meetings (organization_id, start_time) WHERE status = 'complete'`,
  `CREATE INDEX open_meetings ON meetings (organization_id, start_time)
    WHERE status NOT IN ('complete', 'cancel')`,
  `CREATE INDEX meetings_by_leader ON meetings (group_leader_id) WHERE group_leader_id IS NOT NULL`,

  `CREATE TABLE service_meeting_organizations (
    meeting_id INTEGER NOT NULL REFERENCES meetings ON DELETE CASCADE,
    organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
    start_time TEXT NOT NULL,
    PRIMARY KEY (meeting_id, organization_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX service_meetings_by_start ON service_meeting_organizations (organization_id, start_time, meeting_id)`,

  `CREATE TABLE registrations (
    meeting_id INTEGER NOT NULL REFERENCES meetings ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    registered_at TEXT NOT NULL,
    end_time TEXT NOT NULL,
    PRIMARY KEY (meeting_id, user_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX registrations_by_user ON registrations (user_id, end_time, registered_at)`,

  `CREATE TABLE waitlist_entries (
    meeting_id INTEGER NOT NULL REFERENCES meetings ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    status TEXT NOT NULL CHECK (status IN ('waiting', 'accepted', 'rejected', 'offered', 'expired')),
    created_at TEXT NOT NULL,
    end_time TEXT NOT NULL,
    PRIMARY KEY (meeting_id, user_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX waitlist_entries_by_user ON waitlist_entries (user_id, end_time, status)`,

  `CREATE TABLE complete_meeting_counts (
    organization_id INTEGER NOT NULL PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
    meetings INTEGER NOT NULL,
    eap_meetings INTEGER NOT NULL
  ) STRICT`,
];

/**
 * Copied columns that make reads cheap. Only these triggers keep them right: an insert with the right value costs no
 * second write, and one with a wrong value is corrected.
 */
const copies = [
  ...['registrations', 'waitlist_entries'].map(
    (table) => `CREATE TRIGGER ${table}_end_time AFTER INSERT ON ${table}
      WHEN NEW.end_time IS NOT (SELECT end_time FROM meetings WHERE id = NEW.meeting_id)
      BEGIN
        UPDATE ${table} SET end_time = (SELECT end_time FROM meetings WHERE id = NEW.meeting_id)
          WHERE meeting_id = NEW.meeting_id AND user_id = NEW.user_id;
      END`,
  ),
  `CREATE TRIGGER service_meeting_organizations_start_time AFTER INSERT ON service_meeting_organizations
    WHEN NEW.start_time IS NOT (SELECT start_time FROM meetings WHERE id = NEW.meeting_id)
    BEGIN
      UPDATE service_meeting_organizations
        SET start_time = (SELECT start_time FROM meetings WHERE id = NEW.meeting_id)
        WHERE meeting_id = NEW.meeting_id AND organization_id = NEW.organization_id;
    END`,
  `CREATE TRIGGER meetings_end_time AFTER UPDATE OF end_time ON meetings WHEN NEW.end_time IS NOT OLD.end_time
    BEGIN
      UPDATE registrations SET end_time = NEW.end_time WHERE meeting_id = NEW.id;
      UPDATE waitlist_entries SET end_time = NEW.end_time WHERE meeting_id = NEW.id;
    END`,
  `CREATE TRIGGER meetings_start_time AFTER UPDATE OF start_time ON meetings
    WHEN NEW.start_time IS NOT OLD.start_time
    BEGIN
      UPDATE service_meeting_organizations SET start_time = NEW.start_time WHERE meeting_id = NEW.id;
    END`,
];

/** Stored counts, because `count(*)` would be most of the work of a page. */
const counts = [
  `CREATE TRIGGER complete_meetings_in AFTER INSERT ON meetings
    WHEN NEW.status = 'complete' AND NEW.organization_id IS NOT NULL
    BEGIN
      INSERT INTO complete_meeting_counts VALUES (NEW.organization_id, 1, NEW.eap)
        ON CONFLICT (organization_id) DO UPDATE
        SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings;
    END`,
  `CREATE TRIGGER complete_meetings_out AFTER DELETE ON meetings
    WHEN OLD.status = 'complete' AND OLD.organization_id IS NOT NULL
    BEGIN
      UPDATE complete_meeting_counts SET meetings = meetings - 1, eap_meetings = eap_meetings - OLD.eap
        WHERE organization_id = OLD.organization_id;
    END`,
  `CREATE TRIGGER complete_meetings_changed AFTER UPDATE OF organization_id, status, eap ON meetings
    WHEN OLD.organization_id IS NOT NEW.organization_id OR OLD.status <> NEW.status OR OLD.eap <> NEW.eap
    BEGIN
      UPDATE complete_meeting_counts SET meetings = meetings - 1, eap_meetings = eap_meetings - OLD.eap
        WHERE organization_id = OLD.organization_id AND OLD.status = 'complete';
      INSERT INTO complete_meeting_counts
        SELECT NEW.organization_id, 1, NEW.eap WHERE NEW.status = 'complete' AND NEW.organization_id IS NOT NULL
        ON CONFLICT (organization_id) DO UPDATE
        SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings;
    END`,
];

const webhooks = [
  `CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL UNIQUE REFERENCES organizations ON DELETE CASCADE,
    url TEXT,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    events TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,

  `CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
    event_id TEXT NOT NULL UNIQUE,
    event_name TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
      CHECK (state IN ('pending', 'sending', 'delivered', 'failed', 'skipped')),
    created_at TEXT NOT NULL,
    claim TEXT,
    claimed_at TEXT,
    claims INTEGER NOT NULL DEFAULT 0,
    finished_at TEXT,
    CHECK ((state = 'sending') = (claim IS NOT NULL AND claimed_at IS NOT NULL))
  ) STRICT`,
  `CREATE INDEX deliveries_by_organization ON deliveries (organization_id, created_at)`,
  `CREATE INDEX deliveries_by_time ON deliveries (created_at)`,
  `CREATE INDEX failed_deliveries ON deliveries (created_at) WHERE state = 'failed'`,
  `CREATE INDEX pending_deliveries ON deliveries (organization_id, id) WHERE state = 'pending'`,
  `CREATE INDEX sending_deliveries ON deliveries (organization_id, claimed_at) WHERE state = 'sending'`,

  `CREATE TABLE attempts (
    delivery_id INTEGER NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    number INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    duration REAL,
    outcome TEXT NOT NULL CHECK (outcome IN ('delivered', 'failed', 'interrupted')),
    phase TEXT CHECK (phase IN ('address', 'lookup', 'connect', 'tls', 'request', 'answer')),
    status INTEGER,
    reason TEXT NOT NULL,
    PRIMARY KEY (delivery_id, number)
  ) STRICT, WITHOUT ROWID`,
];

const keys = [
  // One row: the id of the secret key that the database is used with.
  'CREATE TABLE secret_key (key_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of [...tables, ...meetings, ...copies, ...counts, ...webhooks, ...keys]) {
    await knex.raw(statement);
  }
}
