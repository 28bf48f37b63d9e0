import type { Knex } from 'knex';

/** Adds mails and password resets. An older release can keep running. */
const statements = [
  `CREATE TABLE password_resets (
    hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX password_resets_by_user ON password_resets (user_id)',
  'CREATE INDEX password_resets_by_time ON password_resets (created_at)',
  `CREATE TABLE mails (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- What the mail is about. Its text is written when it is sent.
    kind TEXT NOT NULL,
    email TEXT NOT NULL,
    -- What it is about, unless it is about the recipient's account. They need not exist any more.
    organization_id INTEGER,
    invitation_id TEXT,
    created_at TEXT NOT NULL,
    due_at TEXT NOT NULL,
    -- The claim that sends it, or sent it last.
    claim TEXT,
    attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  'CREATE INDEX mails_by_due_time ON mails (due_at, id)',
  'CREATE INDEX mails_by_time ON mails (created_at)',
  'CREATE INDEX mails_by_email ON mails (email)',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
