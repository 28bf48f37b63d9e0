import type { Knex } from 'knex';

/**
 * The same counts as in SQLite. When a meeting is deleted, its ties are gone before a trigger of the statement runs, so
 * a trigger for each row subtracts the meeting before that.
 */
const tables = [
  `CREATE TABLE tied_meeting_counts (
    organization_id bigint NOT NULL PRIMARY KEY
      REFERENCES organizations ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE,
    meetings bigint NOT NULL,
    eap_meetings bigint NOT NULL
  )`,
  // No one writes until this ends, so that this count and those of the triggers fit together.
  'LOCK TABLE meetings, service_meeting_organizations IN SHARE ROW EXCLUSIVE MODE',
  countedIn('meetings'),
];

/** Adds the completed meetings of the service to the count of each organization that they are tied to. */
function countedIn(meetings: string, ties = 'service_meeting_organizations'): string {
  return `INSERT INTO tied_meeting_counts AS counts
      SELECT ties.organization_id, count(*), count(*) FILTER (WHERE found.eap)
      FROM ${ties} AS ties JOIN ${meetings} AS found ON found.id = ties.meeting_id
      WHERE found.organization_id IS NULL AND found.status = 'complete'
      GROUP BY ties.organization_id ORDER BY ties.organization_id
      ON CONFLICT (organization_id) DO UPDATE
      SET meetings = counts.meetings + excluded.meetings, eap_meetings = counts.eap_meetings + excluded.eap_meetings`;
}

function countedOut(meetings: string, ties = 'service_meeting_organizations'): string {
  return `UPDATE tied_meeting_counts AS counts
      SET meetings = counts.meetings - gone.meetings, eap_meetings = counts.eap_meetings - gone.eap_meetings
      FROM (
        SELECT ties.organization_id, count(*) AS meetings, count(*) FILTER (WHERE found.eap) AS eap_meetings
        FROM ${ties} AS ties JOIN ${meetings} AS found ON found.id = ties.meeting_id
        WHERE found.organization_id IS NULL AND found.status = 'complete'
        GROUP BY ties.organization_id ORDER BY ties.organization_id
      ) AS gone
      WHERE counts.organization_id = gone.organization_id`;
}

/** The triggers, with their functions. */
export const counts: readonly string[] = [
  triggerFunction('ties_counted_in', [countedIn('meetings', 'incoming')]),
  triggerFunction('ties_counted_out', [countedOut('meetings', 'outgoing')]),
  triggerFunction('tied_meetings_in', [countedIn('incoming')]),
  triggerFunction('tied_meetings_changed', [countedOut('outgoing'), countedIn('incoming')]),
  `CREATE FUNCTION tied_meetings_out() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE tied_meeting_counts
      SET meetings = meetings - 1, eap_meetings = eap_meetings - CASE WHEN OLD.eap THEN 1 ELSE 0 END
      WHERE organization_id IN (
        SELECT organization_id FROM service_meeting_organizations WHERE meeting_id = OLD.id
      );
      RETURN OLD;
    END $$`,
  `CREATE TRIGGER ties_counted_in AFTER INSERT ON service_meeting_organizations
    REFERENCING NEW TABLE AS incoming FOR EACH STATEMENT EXECUTE FUNCTION ties_counted_in()`,
  `CREATE TRIGGER ties_counted_out AFTER DELETE ON service_meeting_organizations
    REFERENCING OLD TABLE AS outgoing FOR EACH STATEMENT EXECUTE FUNCTION ties_counted_out()`,
  `CREATE TRIGGER tied_meetings_in AFTER INSERT ON meetings
    REFERENCING NEW TABLE AS incoming FOR EACH STATEMENT EXECUTE FUNCTION tied_meetings_in()`,
  `CREATE TRIGGER tied_meetings_changed AFTER UPDATE ON meetings
    REFERENCING OLD TABLE AS outgoing NEW TABLE AS incoming
    FOR EACH STATEMENT EXECUTE FUNCTION tied_meetings_changed()`,
  `CREATE TRIGGER tied_meetings_out BEFORE DELETE ON meetings
    FOR EACH ROW WHEN (OLD.organization_id IS NULL AND OLD.status = 'complete')
    EXECUTE FUNCTION tied_meetings_out()`,
];

function triggerFunction(name: string, statements: readonly string[]): string {
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      ${statements.join(';\n      ')};
      RETURN NULL;
    END $$`;
}

export async function up(knex: Knex): Promise<void> {
  for (const statement of [...tables, ...counts]) await knex.raw(statement);
}
