import type { Knex } from 'knex';

/** The same change as in SQLite. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE sessions ADD COLUMN device text');
}
