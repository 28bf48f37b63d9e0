import type { Knex } from 'knex';

/**
 * Adds what partners read as changes of their meetings: when each tie of a service meeting last changed, the meetings
 * that an organization no longer sees, and the time of the latest import. Ties count as changed by the migration, as
 * meetings did in 0017.
 */
export async function up(knex: Knex): Promise<void> {
  const now = new Date().toISOString();
  const statements = [
    `ALTER TABLE service_meeting_organizations ADD COLUMN updated_at TEXT NOT NULL DEFAULT '${now}'`,
    `CREATE INDEX meetings_by_update ON meetings (organization_id, updated_at)`,
    `CREATE INDEX service_meetings_by_update
      ON service_meeting_organizations (organization_id, updated_at, meeting_id)`,
    // One row, or none before the first import. Changes with later times are not read yet.
    `CREATE TABLE meeting_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      last_at TEXT NOT NULL
    ) STRICT`,
    `INSERT INTO meeting_clock (id, last_at) SELECT 1, '${now}' WHERE EXISTS (SELECT 1 FROM meetings)`,
    `CREATE TABLE meeting_tombstones (
      meeting_id INTEGER NOT NULL,
      organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
      changed_at TEXT NOT NULL,
      PRIMARY KEY (meeting_id, organization_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX meeting_tombstones_by_time ON meeting_tombstones (organization_id, changed_at, meeting_id)`,
    // The time of the newest tombstone that was pruned.
    `CREATE TABLE pruned_tombstones (
      organization_id INTEGER PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
      changed_at TEXT NOT NULL
    ) STRICT`,
  ];
  for (const statement of statements) await knex.raw(statement);
}
