import type { Knex } from 'knex';

/**
 * Adds dropped deliveries, where the file was last served, and when each secret key was last in use. These changes touch
 * no row. The new index is empty, and creating it reads the table once.
 */
const statements = [
  // No CHECK, because SQLite would read every row.
  'ALTER TABLE deliveries ADD COLUMN is_dropped INTEGER NOT NULL DEFAULT 0',
  `CREATE INDEX held_deliveries ON deliveries (organization_id, created_at)
    WHERE state = 'failed' AND finished_at IS NULL`,

  'ALTER TABLE deployment ADD COLUMN path TEXT',

  'CREATE TABLE secret_key_uses (key_id TEXT NOT NULL PRIMARY KEY, used_at TEXT NOT NULL) STRICT, WITHOUT ROWID',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
