import type { Knex } from 'knex';

/**
 * The number of the service's completed meetings that are tied to each organization. Triggers keep it right, like
 * `complete_meeting_counts` for the organizations' own meetings. The ties of a deleted meeting are deleted after the
 * meeting, when its status is no longer known. So the meeting is subtracted before that.
 */
const statements = [
  `CREATE TABLE tied_meeting_counts (
    organization_id INTEGER NOT NULL PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
    meetings INTEGER NOT NULL,
    eap_meetings INTEGER NOT NULL
  ) STRICT`,
  `INSERT INTO tied_meeting_counts
    SELECT ties.organization_id, count(*), sum(meetings.eap)
    FROM service_meeting_organizations AS ties CROSS JOIN meetings ON meetings.id = ties.meeting_id
    WHERE meetings.organization_id IS NULL AND meetings.status = 'complete'
    GROUP BY ties.organization_id`,

  `CREATE TRIGGER ties_counted_in AFTER INSERT ON service_meeting_organizations
    BEGIN
      INSERT INTO tied_meeting_counts
        SELECT NEW.organization_id, 1, eap FROM meetings
        WHERE id = NEW.meeting_id AND organization_id IS NULL AND status = 'complete'
        ON CONFLICT (organization_id) DO UPDATE
        SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings;
    END`,
  `CREATE TRIGGER ties_counted_out AFTER DELETE ON service_meeting_organizations
    BEGIN
      UPDATE tied_meeting_counts SET meetings = meetings - 1,
          eap_meetings = eap_meetings - (SELECT eap FROM meetings WHERE id = OLD.meeting_id)
        WHERE organization_id = OLD.organization_id AND EXISTS (
          SELECT 1 FROM meetings WHERE id = OLD.meeting_id AND organization_id IS NULL AND status = 'complete'
        );
    END`,

  `CREATE TRIGGER tied_meetings_in AFTER INSERT ON meetings
    WHEN NEW.organization_id IS NULL AND NEW.status = 'complete'
    BEGIN
      ${countedIn()};
    END`,
  `CREATE TRIGGER tied_meetings_out BEFORE DELETE ON meetings
    WHEN OLD.organization_id IS NULL AND OLD.status = 'complete'
    BEGIN
      ${countedOut()};
    END`,
  `CREATE TRIGGER tied_meetings_changed AFTER UPDATE OF organization_id, status, eap ON meetings
    WHEN (OLD.organization_id IS NULL OR NEW.organization_id IS NULL)
      AND (OLD.organization_id IS NOT NEW.organization_id OR OLD.status <> NEW.status OR OLD.eap <> NEW.eap)
    BEGIN
      ${countedOut(`OLD.organization_id IS NULL AND OLD.status = 'complete'`)};
      ${countedIn(`NEW.organization_id IS NULL AND NEW.status = 'complete'`)};
    END`,
];

/** Adds the meeting NEW to the count of every organization that it is tied to. */
function countedIn(condition = 'true'): string {
  return `INSERT INTO tied_meeting_counts
        SELECT organization_id, 1, NEW.eap FROM service_meeting_organizations
        WHERE meeting_id = NEW.id AND ${condition}
        ON CONFLICT (organization_id) DO UPDATE
        SET meetings = meetings + 1, eap_meetings = eap_meetings + excluded.eap_meetings`;
}

/** Subtracts the meeting OLD from these counts. */
function countedOut(condition = 'true'): string {
  return `UPDATE tied_meeting_counts SET meetings = meetings - 1, eap_meetings = eap_meetings - OLD.eap
        WHERE ${condition} AND organization_id IN (
          SELECT organization_id FROM service_meeting_organizations WHERE meeting_id = OLD.id
        )`;
}

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
