import type { Knex } from 'knex';

/**
 * Adds what is left of erased people: the number of their seats in meetings that had ended, and which deliveries told of
 * them. These changes touch no row.
 */
const statements = [
  `CREATE TABLE erased_seats (
    meeting_id INTEGER NOT NULL PRIMARY KEY REFERENCES meetings ON DELETE CASCADE,
    seats INTEGER NOT NULL
  ) STRICT`,
  'ALTER TABLE deliveries ADD COLUMN is_erased INTEGER NOT NULL DEFAULT 0',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
