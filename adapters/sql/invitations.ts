import type { Invitation, Invitations, NewInvitation } from '@rollcall/core';
import { type Database, momentOrNull, type Sql } from './database.js';

interface InvitationRow {
  readonly id: string;
  readonly organization_id: number;
  readonly user_uuid: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly key_id: string;
  readonly created_at: string;
  readonly accepted_at: string | null;
  readonly revoked_at: string | null;
}

const columns =
  'id, organization_id, user_uuid, email, first_name, last_name, key_id, created_at, accepted_at, revoked_at';

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    keyId: row.key_id,
    organizationId: row.organization_id,
    userUuid: row.user_uuid,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    createdAt: new Date(row.created_at),
    acceptedAt: momentOrNull(row.accepted_at),
    revokedAt: momentOrNull(row.revoked_at),
  };
}

/** One other that stores at the same moment is found the next time, unless it was closed again meanwhile. */
const ATTEMPTS = 10;

export function sqlInvitations({ read, write }: Database): Invitations {
  return {
    pendingOr: (fresh) =>
      write(async (sql) => {
        if (await isMember(sql, fresh)) return 'already-member';
        for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
          const found = (await pending(sql, fresh)) ?? (await store(sql, fresh));
          if (found !== null) return found;
        }
        throw new Error('others store and close the invitation all the time');
      }),

    async byId(invitationId) {
      const row = await read.get<InvitationRow>(`SELECT ${columns} FROM invitations WHERE id = ?`, [
        invitationId,
      ]);
      return row === undefined ? null : toInvitation(row);
    },

    async byUserUuid({ organizationId, uuid }) {
      const row = await read.get<InvitationRow>(
        `SELECT ${columns} FROM invitations WHERE organization_id = ? AND user_uuid = ?`,
        [organizationId, uuid],
      );
      return row === undefined ? null : toInvitation(row);
    },
  };
}

async function isMember(sql: Sql, { organizationId, email }: NewInvitation): Promise<boolean> {
  const row = await sql.get(
    `SELECT 1 FROM memberships JOIN users ON users.id = memberships.user_id
    WHERE memberships.organization_id = ? AND users.email = ?`,
    [organizationId, email],
  );
  return row !== undefined;
}

async function pending(sql: Sql, { organizationId, email }: NewInvitation): Promise<Invitation | null> {
  const row = await sql.get<InvitationRow>(
    `SELECT ${columns} FROM invitations
    WHERE organization_id = ? AND email = ? AND accepted_at IS NULL AND revoked_at IS NULL`,
    [organizationId, email],
  );
  return row === undefined ? null : toInvitation(row);
}

/** Null when another transaction has stored one for the address in between. */
async function store(sql: Sql, fresh: NewInvitation): Promise<Invitation | null> {
  const [row] = await sql.all<InvitationRow>(
    `INSERT INTO invitations
      (id, organization_id, user_uuid, email, first_name, last_name, key_id, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (organization_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL DO NOTHING
    RETURNING ${columns}`,
    [
      fresh.id,
      fresh.organizationId,
      fresh.userUuid,
      fresh.email,
      fresh.firstName,
      fresh.lastName,
      fresh.keyId,
      fresh.createdAt,
    ],
  );
  return row === undefined ? null : toInvitation(row);
}
