import type { Knex } from 'knex';

/** Adds the records of imports, the running instances and the places of followed files. An older release can keep running. */
const statements = [
  `CREATE TABLE imports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    from_address TEXT,
    began_at TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    result TEXT NOT NULL,
    records INTEGER NOT NULL,
    -- JSON: how many records of each kind were stored and removed. Null when nothing was imported.
    counts TEXT,
    -- The first mistake, without its message, which can contain personal data.
    problem_line INTEGER,
    problem_field TEXT,
    -- An import with an Idempotency-Key has the answer to repeat. Older imports have lost their keys to newer ones.
    key TEXT,
    fingerprint TEXT,
    answer TEXT
  ) STRICT`,
  'CREATE UNIQUE INDEX imports_by_key ON imports (key) WHERE key IS NOT NULL',
  `CREATE TABLE instances (
    id TEXT NOT NULL PRIMARY KEY,
    version TEXT NOT NULL,
    started_at TEXT NOT NULL,
    seen_at TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE import_places (
    file TEXT NOT NULL PRIMARY KEY,
    identity TEXT NOT NULL,
    position INTEGER NOT NULL,
    line INTEGER NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`,
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
