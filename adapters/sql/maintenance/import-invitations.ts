import type { Bulk } from '../engine/database.js';
import { execute, exists } from '../engine/statements.js';
import { columnTypes } from './staged-kinds.js';

// An import that makes an invited person a member accepts the invitation, as every other way to join does. So the UUID
// that the organization got with the invitation is the member's.

/** Finds the pending invitations of the people who become members: no one else may accept or renew them. Call it after the users are stored. */
export async function findInvited(bulk: Bulk, at: Date): Promise<void> {
  const { whole, uuid } = columnTypes[bulk.engine];
  await bulk.run(
    `CREATE TEMP TABLE invited (organization_id ${whole}, user_id ${whole}, id ${uuid}, uuid ${uuid}, idp_id TEXT)`,
  );
  await execute(bulk)`INSERT INTO invited (organization_id, user_id, id, uuid, idp_id)
    SELECT staged.organization_id, staged.user_id, invitations.id, invitations.user_uuid, invitations.idp_id
    FROM invitations CROSS JOIN users ON users.email = invitations.email
    JOIN staged_memberships AS staged
      ON staged.organization_id = invitations.organization_id AND staged.user_id = users.id
    WHERE invitations.accepted_at IS NULL AND invitations.revoked_at IS NULL AND NOT staged.deleted
      AND (invitations.expires_at IS NULL OR invitations.expires_at > ${at})
      AND NOT EXISTS (
        SELECT 1 FROM memberships AS stored
        WHERE stored.organization_id = staged.organization_id AND stored.user_id = staged.user_id
      )
    FOR UPDATE OF invitations`;
}

/**
 * Accepts the invitations. The new members get their UUIDs and, unless the dataset gives one or another member has it,
 * their ids at the identity provider. Call it after the memberships are stored.
 */
export async function acceptInvited(bulk: Bulk, at: Date): Promise<void> {
  if (await exists(bulk)`FROM invited LIMIT 1`) {
    await execute(bulk)`UPDATE memberships SET uuid = invited.uuid FROM invited
      WHERE memberships.organization_id = invited.organization_id AND memberships.user_id = invited.user_id`;
    await execute(bulk)`UPDATE memberships SET idp_id = invited.idp_id FROM invited
      WHERE memberships.organization_id = invited.organization_id AND memberships.user_id = invited.user_id
        AND memberships.idp_id IS NULL AND NOT EXISTS (
          SELECT 1 FROM memberships AS other
          WHERE other.organization_id = invited.organization_id AND other.idp_id = invited.idp_id
        )`;
    await execute(bulk)`UPDATE invitations SET accepted_at = ${at} WHERE id IN (SELECT id FROM invited)`;
  }
  await bulk.run('DROP TABLE invited');
}
