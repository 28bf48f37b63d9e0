/** For an organization that has a count. */
const add = `ON CONFLICT (organization_id) DO UPDATE
      SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings`;

/** A large import drops these triggers and creates them again. */
const copiedEnd = (table: string): string => `CREATE TRIGGER ${table}_end_time AFTER INSERT ON ${table}
  WHEN NEW.end_time IS NOT (SELECT end_time FROM meetings WHERE id = NEW.meeting_id)
  BEGIN
    UPDATE ${table} SET end_time = (SELECT end_time FROM meetings WHERE id = NEW.meeting_id)
      WHERE meeting_id = NEW.meeting_id AND user_id = NEW.user_id;
  END;`;

export const parts = {
  publicId: 'INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991)',
  // Each index has the key of the row anyway.
  thenId: '',
  isTestFlag: ' CHECK (is_test IN (0, 1))',
  isPrice: `json_type(price) IN ('integer', 'real')`,
  now: `(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
  firstNumbers: `INSERT INTO sqlite_sequence (name, seq) VALUES ('organizations', 1000000000000), ('users', 1000000000000);`,
  // One process serves the file, and counts in memory.
  failureCounts: '',
  webhookOutcomes: `CREATE TABLE webhook_outcomes (
  id ID,
  organization_id WHOLE NOT NULL REFERENCES organizations ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('delivered', 'failed')),
  finished_at TIME NOT NULL
) STRICT;
CREATE INDEX webhook_outcomes_by_organization ON webhook_outcomes (organization_id, id);`,

  deployment: `-- One row once the file is served: the id of the deployment, how often deliveries were claimed in it, and where the file
-- was last served.
CREATE TABLE deployment (
  id TEXT PRIMARY KEY,
  claims SMALL NOT NULL,
  path TEXT
) STRICT;`,

  removedMemberships: `CREATE TRIGGER memberships_removed AFTER DELETE ON memberships
  BEGIN
    DELETE FROM login_links WHERE user_id = OLD.user_id AND organization_id = OLD.organization_id;
    DELETE FROM sessions WHERE user_id = OLD.user_id AND bound_to = OLD.organization_id;
  END;`,

  changedByHand: '',

  // An insert with the right value costs no second write, and one with a wrong value is corrected.
  copiedColumns: `${copiedEnd('registrations')}
${copiedEnd('waitlist_entries')}
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
  END;`,

  completeCounts: `CREATE TRIGGER complete_meetings_in AFTER INSERT ON meetings
  WHEN NEW.status = 'complete' AND NEW.organization_id IS NOT NULL
  BEGIN
    INSERT INTO complete_meeting_counts VALUES (NEW.organization_id, 1, NEW.eap)
      ${add};
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
      ${add};
  END;`,

  tiedCounts: `CREATE TRIGGER ties_counted_in AFTER INSERT ON service_meeting_organizations
  BEGIN
    INSERT INTO tied_meeting_counts
      SELECT NEW.organization_id, 1, eap FROM meetings
      WHERE id = NEW.meeting_id AND organization_id IS NULL AND status = 'complete'
      ${add};
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
      ${add};
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
      ${add};
  END;`,
};
