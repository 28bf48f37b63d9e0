import { index, migration } from './steps.js';

export const invitedRole = migration(
  '0003-invited-role',
  `
ALTER TABLE invitations ADD COLUMN role TEXT NOT NULL DEFAULT 'member';
ALTER TABLE invitations ADD COLUMN expires_at TIME;
`,
  `
-- When the user last signed in with the password.
ALTER TABLE users ADD COLUMN signed_in_at TIME;
`,
  // The pending invitations that will expire. There is never one for long that has expired.
  index(
    'expiring_invitations',
    `invitations (organization_id, expires_at)
  WHERE expires_at IS NOT NULL AND accepted_at IS NULL AND revoked_at IS NULL`,
  ),
);
