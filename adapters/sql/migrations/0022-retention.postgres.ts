import { atOnce, index, type Step } from './steps.js';

/** The same indexes as in SQLite, and one for the counts of failures, which only PostgreSQL has. */
export const retentionInSteps: readonly Step[] = [
  index('sessions_by_start', 'sessions (opened_at)'),
  index('failure_counts_by_end', 'failure_counts (ends_at)'),
  index('login_links_by_time', 'login_links (created_at)'),
  index('ended_invitations', 'invitations (coalesce(accepted_at, revoked_at))'),
  index('invitations_by_idp_id', 'invitations (organization_id, idp_id, created_at, id)'),
];

export const up = atOnce(retentionInSteps);
