import type { Knex } from 'knex';

/** Held deliveries that were dropped, and when each secret key was last in use. Only additions that touch no row. */
const statements = [
  'ALTER TABLE deliveries ADD COLUMN is_dropped boolean NOT NULL DEFAULT false',
  `CREATE INDEX held_deliveries ON deliveries (organization_id, created_at)
    WHERE state = 'failed' AND finished_at IS NULL`,

  'CREATE TABLE secret_key_uses (key_id text PRIMARY KEY, used_at timestamptz NOT NULL)',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
