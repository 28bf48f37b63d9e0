import type { IdpIdConflict } from '@rollcall/core';
import type { Sql } from '../engine/database.js';

/** Where the id may be already: in the member's own row, or in the invitation that is renewed. */
interface Except {
  readonly userId?: number;
  readonly invitationId?: string;
}

/** Which other member or pending invitation of the organization has the `idpId`. Null: none. */
export async function idpIdConflict(
  sql: Sql,
  { organizationId, idpId }: { readonly organizationId: number; readonly idpId: string | null },
  { userId, invitationId }: Except = {},
): Promise<IdpIdConflict | null> {
  if (idpId === null) return null;
  const values = [organizationId, idpId];
  const member = await sql.get<{ user_id: number }>(
    'SELECT user_id FROM memberships WHERE organization_id = ? AND idp_id = ?',
    values,
  );
  if (member !== undefined && member.user_id !== userId) return 'idp-id-of-member';
  const invitation = await sql.get<{ id: string }>(
    `SELECT id FROM invitations
    WHERE organization_id = ? AND idp_id = ? AND accepted_at IS NULL AND revoked_at IS NULL`,
    values,
  );
  return invitation === undefined || invitation.id === invitationId ? null : 'idp-id-of-invitation';
}
