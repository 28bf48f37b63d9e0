import type { Sql, SqlValue } from '../engine/database.js';

interface EndMemberships {
  /** Which memberships end: a condition on the table `memberships`. */
  readonly where: string;
  readonly values?: readonly SqlValue[];
  readonly at: Date;
}

/**
 * Ends memberships, and returns their number. Every membership ends here, unless its organization is deleted. The
 * organization's pending invitations of these addresses are revoked. The database deletes what refers to a membership:
 * login links, sessions of the organization, and calendar feeds.
 */
export async function endMemberships(sql: Sql, { where, values = [], at }: EndMemberships): Promise<number> {
  // First, because accepting an invitation takes its locks in this order.
  await sql.run(
    `UPDATE invitations SET revoked_at = ?
    WHERE accepted_at IS NULL AND revoked_at IS NULL AND (organization_id, email) IN (
      SELECT memberships.organization_id, users.email
      FROM memberships JOIN users ON users.id = memberships.user_id WHERE ${where}
    )`,
    [at, ...values],
  );
  const { changes } = await sql.run(`DELETE FROM memberships WHERE ${where}`, values);
  return changes;
}
