import type { Sql } from '../engine/database.js';
import { raw, type SqlText } from '../engine/sql-text.js';
import { execute } from '../engine/statements.js';

interface EndMemberships {
  /** Which memberships end: a condition on the table `memberships`. */
  readonly where: SqlText;
  readonly at: Date;
  /** The role that `Directory` restores; left out: `member`. */
  readonly keptRole?: 'memberships.role' | undefined;
}

/**
 * Ends memberships, and returns their number. Every membership ends here, unless its organization is deleted. The
 * organization's pending invitations of these addresses are revoked. The database deletes what refers to a membership:
 * login links, sessions of the organization, and calendar feeds. People whom a directory has written are inactive there.
 */
export async function endMemberships(sql: Sql, { where, at, keptRole }: EndMemberships): Promise<number> {
  // First, because accepting an invitation takes its locks in this order.
  await execute(sql)`UPDATE invitations SET revoked_at = ${at}
    WHERE accepted_at IS NULL AND revoked_at IS NULL AND (organization_id, email) IN (
      SELECT memberships.organization_id, users.email
      FROM memberships JOIN users ON users.id = memberships.user_id WHERE ${where}
    )`;
  await execute(sql)`UPDATE directory_people SET is_active = false, kept_user_id = memberships.user_id,
      kept_role = ${raw(keptRole ?? "'member'")}, kept_idp_id = memberships.idp_id,
      kept_joined_at = memberships.created_at, kept_needs_sign_on = memberships.needs_sign_on
    FROM memberships
    WHERE directory_people.organization_id = memberships.organization_id
      AND directory_people.uuid = memberships.uuid AND ${where}`;
  const { changes } = await execute(sql)`DELETE FROM memberships WHERE ${where}`;
  return changes;
}
