import type { Knex } from 'knex';

/**
 * Adds the outcomes of deliveries that the health of a webhook does not count yet, and the last one that it counts. An
 * older release can keep running, and counts its own deliveries in the webhook's row.
 */
const statements = [
  `CREATE TABLE webhook_outcomes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES organizations ON DELETE CASCADE,
    state TEXT NOT NULL CHECK (state IN ('delivered', 'failed')),
    finished_at TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX webhook_outcomes_by_organization ON webhook_outcomes (organization_id, id)',
  'ALTER TABLE webhooks ADD COLUMN counted_outcome INTEGER NOT NULL DEFAULT 0',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
