/** Computes the health of the webhooks from the log of deliveries. */
export const healthFromLog = [
  `UPDATE webhooks SET delivered_at = (
    SELECT max(finished_at) FROM deliveries
    WHERE deliveries.organization_id = webhooks.organization_id AND state = 'delivered'
  )`,
  ...[
    ['failures', 'count(*)'],
    ['failing_since', 'min(finished_at)'],
  ].map(
    ([column, value]) => `UPDATE webhooks SET ${column} = (
      SELECT ${value} FROM deliveries
      WHERE deliveries.organization_id = webhooks.organization_id AND state = 'failed'
        AND (webhooks.delivered_at IS NULL OR finished_at > webhooks.delivered_at)
    )`,
  ),
  'UPDATE webhooks SET noticed = failures',
];
