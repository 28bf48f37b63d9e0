import type { Knex } from 'knex';

/** The same changes as in SQLite. They touch no row. */
const statements = [
  `CREATE TABLE erased_seats (
    meeting_id bigint NOT NULL PRIMARY KEY
      REFERENCES meetings ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE,
    seats bigint NOT NULL
  )`,
  'ALTER TABLE deliveries ADD COLUMN is_erased boolean NOT NULL DEFAULT false',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
