import type { Knex } from 'knex';

/**
 * Adds when each meeting last changed. Stored meetings count as changed by the migration: when they really changed is
 * not known, and a reader that follows changes must miss none. Imports set the column themselves. The default and the
 * trigger are for an earlier release that imports after the migration, which does not name the column.
 *
 * The statements touch no row and wait for one table only.
 */
const statements = [
  `ALTER TABLE meetings ADD COLUMN updated_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now())`,
  `ALTER TABLE meetings ALTER COLUMN updated_at SET DEFAULT date_trunc('milliseconds', clock_timestamp())`,
  `CREATE FUNCTION meetings_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.updated_at := date_trunc('milliseconds', clock_timestamp());
      RETURN NEW;
    END $$`,
  `CREATE TRIGGER meetings_updated_at BEFORE UPDATE ON meetings
    FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION meetings_updated_at()`,
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
