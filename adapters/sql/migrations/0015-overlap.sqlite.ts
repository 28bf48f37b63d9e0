import type { Knex } from 'knex';

/** Adds the signing secret and the access key before the current one, which can stay in use. These changes touch no row. */
const statements = [
  'ALTER TABLE webhooks ADD COLUMN previous_sealed_secret TEXT',
  'ALTER TABLE webhooks ADD COLUMN previous_secret_until TEXT',

  'ALTER TABLE organizations ADD COLUMN previous_key_hash TEXT',
  'ALTER TABLE organizations ADD COLUMN previous_key_generation INTEGER',
  'ALTER TABLE organizations ADD COLUMN previous_key_used_at TEXT',
  'ALTER TABLE organizations ADD COLUMN previous_key_until TEXT',
  'ALTER TABLE organizations ADD COLUMN previous_key_replaced_by INTEGER',
  `CREATE INDEX previous_access_keys ON organizations (previous_key_hash) WHERE previous_key_hash IS NOT NULL`,
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
