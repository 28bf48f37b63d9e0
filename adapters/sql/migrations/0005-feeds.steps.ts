import { batches, change, index, type Step } from './steps.js';

/** The changes of 0005-feeds.postgres.ts, for a database in use. */
export const feedsInSteps: readonly Step[] = [
  change('ALTER TABLE deliveries ADD COLUMN is_test boolean NOT NULL DEFAULT false'),
  index('test_deliveries', 'deliveries (organization_id, created_at) WHERE is_test'),
  change(
    `ALTER TABLE webhooks
      ADD COLUMN failures bigint NOT NULL DEFAULT 0,
      ADD COLUMN failing_since timestamptz,
      ADD COLUMN delivered_at timestamptz,
      ADD COLUMN noticed bigint NOT NULL DEFAULT 0`,
  ),
  // This step reads the whole log without locks. The next one writes the webhooks.
  change(
    `CREATE TABLE webhook_health AS
      SELECT webhooks.id, delivered.delivered_at, count(failed.id) AS failures, min(failed.finished_at) AS failing_since
      FROM webhooks
      LEFT JOIN (
        SELECT organization_id, max(finished_at) AS delivered_at FROM deliveries
        WHERE state = 'delivered' GROUP BY organization_id
      ) AS delivered ON delivered.organization_id = webhooks.organization_id
      LEFT JOIN deliveries AS failed
        ON failed.organization_id = webhooks.organization_id AND failed.state = 'failed'
          AND (delivered.delivered_at IS NULL OR failed.finished_at > delivered.delivered_at)
      GROUP BY webhooks.id, delivered.delivered_at`,
    'ALTER TABLE webhook_health ADD PRIMARY KEY (id)',
  ),
  batches({
    table: 'webhooks',
    key: 'id',
    statements: (range) => [
      `UPDATE webhooks SET delivered_at = health.delivered_at, failures = health.failures,
        failing_since = health.failing_since, noticed = health.failures
      FROM webhook_health AS health WHERE health.id = webhooks.id AND ${range('webhooks.id')}`,
    ],
  }),
  change('DROP TABLE webhook_health'),
  change(
    `CREATE TABLE calendar_feeds (
      organization_id bigint NOT NULL,
      user_id bigint NOT NULL,
      hash text NOT NULL UNIQUE,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (organization_id, user_id),
      FOREIGN KEY (organization_id, user_id) REFERENCES memberships (organization_id, user_id)
        ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE
    )`,
  ),
];
