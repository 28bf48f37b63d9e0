import { index, migration } from './steps.js';

/** Deliveries stay undelivered until someone resends or dismisses them. The pages of an organization count its own. */
const failed = `deliveries (organization_id, created_at) WHERE state = 'failed' AND finished_at IS NOT NULL`;

export const failedByOrganization = migration(
  '0004-failed-by-organization',
  index('failed_by_organization', failed),
);
