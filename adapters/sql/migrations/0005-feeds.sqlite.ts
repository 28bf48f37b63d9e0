import type { Knex } from 'knex';
import { healthFromLog } from './0005-feeds.health.js';

/** Adds tests to the log of deliveries, the health of each webhook, and calendar feeds. An older release can keep running. */
const statements = [
  'ALTER TABLE deliveries ADD COLUMN is_test INTEGER NOT NULL DEFAULT 0 CHECK (is_test IN (0, 1))',
  'CREATE INDEX test_deliveries ON deliveries (organization_id, created_at) WHERE is_test',

  'ALTER TABLE webhooks ADD COLUMN failures INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE webhooks ADD COLUMN failing_since TEXT',
  'ALTER TABLE webhooks ADD COLUMN delivered_at TEXT',
  // The number of failures in a row for which the last notice was given.
  'ALTER TABLE webhooks ADD COLUMN noticed INTEGER NOT NULL DEFAULT 0',
  ...healthFromLog,

  `CREATE TABLE calendar_feeds (
    organization_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    PRIMARY KEY (organization_id, user_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID`,
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
