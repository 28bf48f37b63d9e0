import type { Knex } from 'knex';

/**
 * Adds when each meeting last changed. Stored meetings count as changed by the migration: when they really changed is
 * not known, and a reader that follows changes must miss none. Touches no row.
 */
export async function up(knex: Knex): Promise<void> {
  const now = new Date().toISOString();
  await knex.raw(`ALTER TABLE meetings ADD COLUMN updated_at TEXT NOT NULL DEFAULT '${now}'`);
}
