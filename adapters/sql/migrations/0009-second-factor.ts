import { migration } from './steps.js';

export const secondFactor = migration(
  '0009-second-factor',
  `
-- Passkeys of users. Keys and ids are in base64url, and the ways to reach one are separated by commas.
CREATE TABLE passkeys (
  credential_id TEXT PRIMARY KEY,
  user_id WHOLE NOT NULL REFERENCES users ON DELETE CASCADE,
  public_key TEXT NOT NULL,
  counter WHOLE NOT NULL,
  transports TEXT NOT NULL,
  is_backed_up FLAG,
  name TEXT NOT NULL,
  created_at MOMENT,
  used_at TIME
) STRICT;
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- The secrets of authenticator apps. One that is not confirmed proves nothing.
CREATE TABLE code_secrets (
  user_id WHOLE PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  sealed_secret TEXT NOT NULL,
  -- The 30 seconds whose code was used last, by their number.
  last_step WHOLE NOT NULL,
  confirmed_at TIME
) STRICT;

CREATE TABLE recovery_codes (
  user_id WHOLE NOT NULL REFERENCES users ON DELETE CASCADE,
  hash TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT;
`,
  'ALTER TABLE organizations ADD COLUMN requires_second_factor OFF;',
  // Sessions that an earlier release starts have none.
  'ALTER TABLE sessions ADD COLUMN has_second_factor OFF;',
);
