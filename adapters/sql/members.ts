import type {
  Member,
  Members,
  NewEvent,
  NewMember,
  NotRegistered,
  Registered,
  Role,
  User,
} from '@rollcall/core';
import type { Database, Engine, Sql, SqlValue } from './database.js';
import { type OrganizationRow, organizationColumns, toOrganization } from './organizations.js';
import { insertEvent } from './outbox.js';
import { insertUser, toUser, type UserRow, userById, userColumns } from './users.js';
import { webhookOf } from './webhooks.js';

interface MemberRow extends UserRow {
  readonly organization_id: number;
  readonly member_uuid: string;
  readonly role: Role;
  readonly idp_id: string | null;
}

function toMember(row: MemberRow): Member {
  return {
    organizationId: row.organization_id,
    user: toUser(row),
    uuid: row.member_uuid,
    role: row.role,
    idpId: row.idp_id,
  };
}

export function sqlMembers({ engine, read, write }: Database): Members {
  const find = async (key: 'idp_id' | 'uuid' | 'user_id', values: readonly SqlValue[]) => {
    const row = await read.get<MemberRow>(
      `SELECT memberships.organization_id, memberships.uuid AS member_uuid, memberships.role,
        memberships.idp_id, ${userColumns}
      FROM memberships JOIN users ON users.id = memberships.user_id
      WHERE memberships.organization_id = ? AND memberships.${key} = ?`,
      values,
    );
    return row === undefined ? null : toMember(row);
  };

  return {
    byIdpId: ({ organizationId, idpId }) => find('idp_id', [organizationId, idpId]),
    byUuid: ({ organizationId, uuid }) => find('uuid', [organizationId, uuid]),
    byUserId: ({ organizationId, userId }) => find('user_id', [organizationId, userId]),

    async ofUser(userId) {
      const rows = await read.all<OrganizationRow & { role: Role }>(
        `SELECT ${organizationColumns}, memberships.role
        FROM memberships JOIN organizations ON organizations.id = memberships.organization_id
        WHERE memberships.user_id = ?
        ORDER BY organizations.id`,
        [userId],
      );
      return rows.map((row) => ({ organization: toOrganization(row), role: row.role }));
    },

    async register(member, tell) {
      try {
        return await write((sql) => register({ engine, sql }, member, tell));
      } catch (error) {
        if (error instanceof RolledBack) return error.reason;
        throw error;
      }
    },
  };
}

/** Thrown out of the transaction, so that nothing of it is kept. */
class RolledBack extends Error {
  readonly reason: NotRegistered;

  constructor(reason: NotRegistered) {
    super(reason);
    this.reason = reason;
  }
}

async function register(
  { engine, sql }: { readonly engine: Engine; readonly sql: Sql },
  member: NewMember,
  tell: (registered: Registered) => NewEvent | null,
): Promise<Member> {
  await closeInvitation(sql, member);
  const user = await registeredUser(sql, member);
  const added = await addMember(sql, member, user);
  const event = tell({
    organization: await organizationOf({ engine, sql }, member.organizationId),
    member: added,
    webhook: await webhookOf(sql, member.organizationId),
  });
  if (event !== null) await insertEvent(sql, event);
  return added;
}

async function closeInvitation(sql: Sql, { organizationId, invitationId, at }: NewMember): Promise<void> {
  if (invitationId === null) return;
  const { changes } = await sql.run(
    `UPDATE invitations SET accepted_at = ?
    WHERE organization_id = ? AND id = ? AND accepted_at IS NULL AND revoked_at IS NULL`,
    [at, organizationId, invitationId],
  );
  if (changes === 0) throw new RolledBack('invitation-closed');
}

async function registeredUser(sql: Sql, { user }: NewMember): Promise<User> {
  if ('id' in user) return userById(sql, user.id);
  const created = await insertUser(sql, user);
  if (created === null) throw new RolledBack('account-exists');
  return created;
}

async function addMember(sql: Sql, member: NewMember, user: User): Promise<Member> {
  const { organizationId, role, idpId } = member;
  const uuid = member.uuid ?? user.uuid;
  const { changes } = await sql.run(
    `INSERT INTO memberships (organization_id, user_id, uuid, role, idp_id, created_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
    [organizationId, user.id, uuid, role, idpId, member.at],
  );
  if (changes === 0) throw await whyNotAdded(sql, member, user);
  return { organizationId, user, uuid, role, idpId };
}

async function whyNotAdded(sql: Sql, { organizationId, idpId }: NewMember, user: User): Promise<Error> {
  const others = await sql.all<{ user_id: number }>(
    'SELECT user_id FROM memberships WHERE organization_id = ? AND (user_id = ? OR idp_id = ?)',
    [organizationId, user.id, idpId],
  );
  if (others.some((other) => other.user_id === user.id)) return new RolledBack('already-member');
  if (others.length > 0) return new RolledBack('idp-id-taken');
  return new Error('another member of the organization has the UUID');
}

/** On PostgreSQL nobody configures the webhook from here to the end: the event fits it at the moment of commit. */
async function organizationOf(
  { engine, sql }: { readonly engine: Engine; readonly sql: Sql },
  organizationId: number,
) {
  const row = await sql.get<OrganizationRow>(
    `SELECT ${organizationColumns} FROM organizations WHERE id = ?${engine === 'postgres' ? ' FOR SHARE' : ''}`,
    [organizationId],
  );
  if (row === undefined) throw new Error(`there is no organization ${organizationId}`);
  return toOrganization(row);
}
