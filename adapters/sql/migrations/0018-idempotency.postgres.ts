import type { Knex } from 'knex';

/** The same table, columns and promises as in SQLite. */
const statements = [
  `CREATE TABLE idempotency_keys (
    organization_id bigint NOT NULL REFERENCES organizations ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE,
    operation text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    run text NOT NULL,
    begun_at timestamptz NOT NULL,
    sealed_answer text,
    PRIMARY KEY (organization_id, operation, key)
  )`,
  'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (begun_at)',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
