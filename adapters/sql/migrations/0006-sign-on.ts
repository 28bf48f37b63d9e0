import { index, migration } from './steps.js';

export const signOn = migration(
  '0006-sign-on',
  `
-- The identity provider of an organization.
CREATE TABLE sign_on (
  organization_id WHOLE PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  client_id TEXT NOT NULL,
  sealed_secret TEXT NOT NULL,
  id_claim TEXT NOT NULL,
  hosted_domain TEXT,
  admits TEXT NOT NULL,
  acr TEXT,
  is_on FLAG,
  is_required FLAG,
  -- A day, such as 2027-01-31.
  secret_expires_on TEXT,
  -- The last trial that passed, and its owner. No owner: the person was erased.
  tested_at TIME,
  tested_by WHOLE,
  changed_at MOMENT
) STRICT;
CREATE INDEX sign_on_by_tester ON sign_on (tested_by);

-- Who the people of identity providers are. An identity goes with the membership.
CREATE TABLE identities (
  organization_id WHOLE NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id WHOLE NOT NULL,
  linked_at MOMENT,
  used_at MOMENT,
  PRIMARY KEY (organization_id, issuer, subject),
  UNIQUE (organization_id, user_id),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
) STRICT;
`,
  // The password of the user never opens such a membership.
  'ALTER TABLE memberships ADD COLUMN needs_sign_on OFF;',
  // How a session began, and the session at the identity provider. Null in those that an earlier release starts.
  `
ALTER TABLE sessions ADD COLUMN started_by TEXT;
ALTER TABLE sessions ADD COLUMN sid TEXT;
`,
  index('sessions_by_sign_on', `sessions (bound_to, user_id) WHERE started_by = 'sign-on'`),
);
