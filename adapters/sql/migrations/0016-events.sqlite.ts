import type { Knex } from 'knex';

/**
 * Adds the feed of events. An event is stored without a position, and gets one when the feed is read. The release before
 * records none of its registrations.
 */
const statements = [
  `CREATE TABLE event_feeds (
    organization_id INTEGER NOT NULL PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
    last_position INTEGER NOT NULL DEFAULT 0,
    pruned_position INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  `CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
    event_id TEXT NOT NULL,
    event_name TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL,
    position INTEGER
  ) STRICT`,
  `CREATE UNIQUE INDEX events_by_position ON events (organization_id, position)`,
  `CREATE INDEX events_without_position ON events (organization_id, id) WHERE position IS NULL`,
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
