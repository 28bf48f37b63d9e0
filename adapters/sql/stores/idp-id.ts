import type { IdpIdConflict } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { SQL } from '../engine/sql-text.js';
import { selectOne } from '../engine/statements.js';

/** Where the id may be already: in the member's own row, or in the invitation that is renewed. */
interface Except {
  readonly userId?: number | undefined;
  readonly invitationId?: string | undefined;
}

interface IdpId {
  readonly organizationId: number;
  /** Null: none, which conflicts with nothing. */
  readonly idpId: string | null;
}

/** Which other member or pending invitation of the organization has the `idpId`. Null: none. */
export async function idpIdConflict(
  sql: Sql,
  { organizationId, idpId }: IdpId,
  { userId, invitationId }: Except = {},
): Promise<IdpIdConflict | null> {
  if (idpId === null) return null;
  const has = SQL`organization_id = ${organizationId} AND idp_id = ${idpId}`;
  const member = await selectOne<{ user_id: number }>(sql)`SELECT user_id FROM memberships WHERE ${has}`;
  if (member !== undefined && member.user_id !== userId) return 'idp-id-of-member';
  const invitation = await selectOne<{ id: string }>(sql)`SELECT id FROM invitations
    WHERE ${has} AND accepted_at IS NULL AND revoked_at IS NULL`;
  return invitation === undefined || invitation.id === invitationId ? null : 'idp-id-of-invitation';
}
