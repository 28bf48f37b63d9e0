import type { Knex } from 'knex';
import { healthFromLog } from './0005-feeds.health.js';

/** The same tables, columns and promises as in SQLite. */
const statements = [
  'ALTER TABLE deliveries ADD COLUMN is_test boolean NOT NULL DEFAULT false',
  'CREATE INDEX test_deliveries ON deliveries (organization_id, created_at) WHERE is_test',

  `ALTER TABLE webhooks
    ADD COLUMN failures bigint NOT NULL DEFAULT 0,
    ADD COLUMN failing_since timestamptz,
    ADD COLUMN delivered_at timestamptz,
    ADD COLUMN noticed bigint NOT NULL DEFAULT 0`,
  ...healthFromLog,

  `CREATE TABLE calendar_feeds (
    organization_id bigint NOT NULL,
    user_id bigint NOT NULL,
    hash text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, user_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES memberships (organization_id, user_id)
      ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE
  )`,
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
