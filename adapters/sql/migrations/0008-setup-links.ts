import { inDialect } from './0001-baseline.js';
import { change, index } from './steps.js';

const table = `
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
`;

const started = `sessions (bound_to) WHERE started_by = 'setup-link'`;

export const setupLinks = {
  name: '0008-setup-links',
  sqlite: `${inDialect('sqlite', table)}
    CREATE INDEX sessions_by_setup_link ON ${started};
  `,
  postgres: [change(inDialect('postgres', table)), index('sessions_by_setup_link', started)],
};
