import { atOnce, change, index, type Step } from './steps.js';

/** The same changes as in SQLite. */
export const invitedIdsInSteps: readonly Step[] = [
  change('ALTER TABLE invitations ADD COLUMN idp_id text'),
  index(
    'pending_idp_ids',
    `invitations (organization_id, idp_id)
      WHERE idp_id IS NOT NULL AND accepted_at IS NULL AND revoked_at IS NULL`,
    { isUnique: true },
  ),
  index('invitations_by_email', 'invitations (organization_id, email, created_at, id)'),
];

export const up = atOnce(invitedIdsInSteps);
