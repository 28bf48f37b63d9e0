import { index, migration } from './steps.js';

export const setupLinks = migration(
  '0008-setup-links',
  `
-- The link with which the IT staff of an organization set up sign-on and the directory.
CREATE TABLE setup_links (
  organization_id WHOLE PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  user_id WHOLE NOT NULL,
  created_at MOMENT,
  expires_at MOMENT,
  opened_at TIME,
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
) STRICT;
`,
  index('sessions_by_setup_link', `sessions (bound_to) WHERE started_by = 'setup-link'`),
);
