import type { Knex } from 'knex';

/** New columns may be null: the previous release writes to the same tables and does not know them. */
const statements = [
  'ALTER TABLE organizations ADD COLUMN access_key_used_at TEXT',

  'ALTER TABLE invitations ADD COLUMN invited_by TEXT',
  'ALTER TABLE invitations ADD COLUMN invited_by_user_id INTEGER',
  'CREATE INDEX invitations_by_time ON invitations (organization_id, created_at)',

  // No reference to users, because an entry outlives its user.
  `CREATE TABLE audit_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    user_id INTEGER,
    from_address TEXT,
    action TEXT NOT NULL,
    subject TEXT,
    CHECK ((who = 'user') = (user_id IS NOT NULL))
  ) STRICT`,
  'CREATE INDEX audit_entries_by_time ON audit_entries (organization_id, at)',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
