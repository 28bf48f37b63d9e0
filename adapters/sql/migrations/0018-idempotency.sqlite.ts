import type { Knex } from 'knex';

/** Adds the calls that can be repeated, with their answers. An older release can keep running. */
const statements = [
  `CREATE TABLE idempotency_keys (
    organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    run TEXT NOT NULL,
    begun_at TEXT NOT NULL,
    -- As \`Secrets.encrypt\` wrote it. Null while the first run has no answer.
    sealed_answer TEXT,
    PRIMARY KEY (organization_id, operation, key)
  ) STRICT`,
  'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (begun_at)',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
