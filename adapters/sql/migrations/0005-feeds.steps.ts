import { batches, change, index, type Step } from './steps.js';

/** What 0005-feeds.postgres.ts makes, on a database that is in use. */
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
  // One statement, so that a webhook's row is locked after its log has been read and not before.
  batches({
    table: 'webhooks',
    key: 'id',
    statements: (range) => [
      `UPDATE webhooks SET delivered_at = health.delivered_at, failures = health.failures,
        failing_since = health.failing_since, noticed = health.failures
      FROM (
        SELECT delivered.id, delivered.delivered_at, failed.failures, failed.failing_since
        FROM (
          SELECT id, organization_id, (
            SELECT max(finished_at) FROM deliveries
            WHERE deliveries.organization_id = webhooks.organization_id AND state = 'delivered'
          ) AS delivered_at
          FROM webhooks WHERE ${range('id')}
        ) AS delivered CROSS JOIN LATERAL (
          SELECT count(*) AS failures, min(finished_at) AS failing_since FROM deliveries
          WHERE deliveries.organization_id = delivered.organization_id AND state = 'failed'
            AND (delivered.delivered_at IS NULL OR finished_at > delivered.delivered_at)
        ) AS failed
      ) AS health
      WHERE webhooks.id = health.id`,
    ],
  }),
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
