import { change, index } from './steps.js';

/** The pending invitations that will expire. There is never one for long that has expired. */
const expiring = `invitations (organization_id, expires_at)
  WHERE expires_at IS NOT NULL AND accepted_at IS NULL AND revoked_at IS NULL`;

export const invitedRole = {
  name: '0003-invited-role',
  sqlite: `
ALTER TABLE invitations ADD COLUMN role TEXT NOT NULL DEFAULT 'member';
ALTER TABLE invitations ADD COLUMN expires_at TEXT;
CREATE INDEX expiring_invitations ON ${expiring};
-- When the user last signed in with the password.
ALTER TABLE users ADD COLUMN signed_in_at TEXT;`,
  postgres: [
    change(
      `ALTER TABLE invitations ADD COLUMN role text NOT NULL DEFAULT 'member', ADD COLUMN expires_at timestamptz`,
    ),
    change('ALTER TABLE users ADD COLUMN signed_in_at timestamptz'),
    index('expiring_invitations', expiring),
  ],
};
