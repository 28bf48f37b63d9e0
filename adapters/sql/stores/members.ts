import type {
  ListedMember,
  Member,
  Members,
  NewMember,
  NotChanged,
  NotRegistered,
  Registered,
  RegistrationEvent,
  Role,
  User,
} from '@rollcall/core';
import { anyCasePattern } from '@rollcall/core/adapters';
import { type Database, type Engine, only, type Sql, type SqlValue } from '../engine/database.js';
import type { Waiting } from '../outbox/waiting.js';
import { insertEntries } from './audit-trail.js';
import { insertEvent } from './event-feed.js';
import { revokePending } from './invitations.js';
import { type OrganizationRow, organizationColumns, toOrganization } from './organizations.js';
import { insertDelivery } from './outbox.js';
import { unlessOrganizationUnknown } from './unknown-organization.js';
import { toUser, type UserRow, userColumns } from './user-row.js';
import { insertUser, userById } from './users.js';
import { webhookOf } from './webhooks.js';

interface MemberRow extends UserRow {
  readonly organization_id: number;
  readonly member_uuid: string;
  readonly role: Role;
  readonly idp_id: string | null;
}

interface ListedMemberRow extends MemberRow {
  readonly can_sign_in: number | boolean;
}

const memberColumns = `memberships.organization_id, memberships.uuid AS member_uuid, memberships.role,
  memberships.idp_id, ${userColumns}`;

function toMember(row: MemberRow): Member {
  return {
    organizationId: row.organization_id,
    user: toUser(row),
    uuid: row.member_uuid,
    role: row.role,
    idpId: row.idp_id,
  };
}

function toListedMember(row: ListedMemberRow): ListedMember {
  return { ...toMember(row), canSignIn: Boolean(row.can_sign_in) };
}

/** Sorts by bytes on both engines. Without a collation, PostgreSQL would follow the language of the database. */
const byteOrder: Record<Engine, string> = { sqlite: 'users.email', postgres: 'users.email COLLATE "C"' };

/** New deliveries are added to `waiting` after the commit. */
export function sqlMembers({ engine, read, readAside, write }: Database, waiting: Waiting): Members {
  const find = (key: MemberKey, values: readonly SqlValue[]) => findMember(read, key, values);
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

    async register(member, buildEvent, buildEntries) {
      try {
        const done = await unlessOrganizationUnknown({ read }, member.organizationId, () =>
          write(async (sql) => {
            const added = await register({ engine, sql }, member, buildEvent);
            await insertEntries(sql, buildEntries?.(added.registered));
            return added;
          }),
        );
        if (done === 'unknown-organization') return done;
        const { registered, deliveryId } = done;
        if (deliveryId !== null) waiting.add(member.organizationId, deliveryId);
        return registered;
      } catch (error) {
        if (error instanceof RolledBack) return error.reason;
        throw error;
      }
    },

    async list({ organizationId, words = [], offset, limit }) {
      const found = search(engine, words);
      const aside = readAside(organizationId);
      const rows = await aside.all<ListedMemberRow>(
        `SELECT ${memberColumns}, users.password_hash IS NOT NULL AS can_sign_in
        FROM memberships JOIN users ON users.id = memberships.user_id
        WHERE memberships.organization_id = ?${found.condition}
        ORDER BY CASE memberships.role WHEN 'owner' THEN 0 WHEN 'admin' THEN 1 ELSE 2 END, ${byteOrder[engine]}
        LIMIT ? OFFSET ?`,
        [organizationId, ...found.values, limit, offset],
      );
      const counts = await aside.all<{ total: number }>(
        `SELECT count(*) AS total FROM memberships${found.join}
        WHERE memberships.organization_id = ?${found.condition}`,
        [organizationId, ...found.values],
      );
      return { total: only(counts).total, members: rows.map(toListedMember) };
    },

    changeRole: ({ role, ...key }, buildEntries) =>
      change({ engine, write }, { ...key, isKept: role === 'owner' }, async (sql, member) => {
        if (member.role === role) return member;
        await sql.run('UPDATE memberships SET role = ? WHERE organization_id = ? AND user_id = ?', [
          role,
          key.organizationId,
          key.userId,
        ]);
        const changed = { ...member, role };
        await insertEntries(sql, buildEntries?.(changed));
        return changed;
      }),

    remove: ({ at, ...key }, buildEntries) =>
      change({ engine, write }, { ...key, isKept: false }, async (sql, member) => {
        // First, because accepting an invitation takes its locks in this order.
        await revokePending(sql, { organizationId: key.organizationId, email: member.user.email, at });
        await sql.run('DELETE FROM memberships WHERE organization_id = ? AND user_id = ?', [
          key.organizationId,
          key.userId,
        ]);
        await insertEntries(sql, buildEntries?.(member));
        return member;
      }),
  };
}

const searched = "users.first_name || ' ' || users.last_name || ' ' || users.email";

/** Conditions that take the patterns of any number of words as one value, so that the statement is always the same. */
const searches: Record<
  Engine,
  { readonly condition: string; readonly value: (patterns: readonly string[]) => string }
> = {
  sqlite: {
    condition: `NOT EXISTS (SELECT 1 FROM json_each(?) AS word WHERE ${searched} NOT REGEXP word.value)`,
    value: (patterns) => JSON.stringify(patterns),
  },
  // No pattern holds a space, as no word does.
  postgres: {
    condition: `(${searched}) COLLATE "C" ~ ALL (string_to_array(?, ' '))`,
    value: (patterns) => patterns.join(' '),
  },
};

interface Search {
  readonly join: string;
  readonly condition: string;
  readonly values: readonly SqlValue[];
}

/** The patterns spell out both cases of every letter, because neither engine knows them all. */
function search(engine: Engine, words: readonly string[]): Search {
  if (words.length === 0) return { join: '', condition: '', values: [] };
  const { condition, value } = searches[engine];
  return {
    join: ' JOIN users ON users.id = memberships.user_id',
    condition: ` AND ${condition}`,
    values: [value(words.map((word) => anyCasePattern(word).source))],
  };
}

type MemberKey = 'idp_id' | 'uuid' | 'user_id';

async function findMember(sql: Sql, key: MemberKey, values: readonly SqlValue[]): Promise<Member | null> {
  const row = await sql.get<MemberRow>(
    `SELECT ${memberColumns}
    FROM memberships JOIN users ON users.id = memberships.user_id
    WHERE memberships.organization_id = ? AND memberships.${key} = ?`,
    values,
  );
  return row === undefined ? null : toMember(row);
}

/**
 * Changes a member, unless that would leave the organization without an owner. Changes of one organization's members
 * run one at a time. `isKept` means that an owner stays an owner.
 */
async function change(
  { engine, write }: Pick<Database, 'engine' | 'write'>,
  {
    organizationId,
    userId,
    isKept,
  }: { readonly organizationId: number; readonly userId: number; readonly isKept: boolean },
  work: (sql: Sql, member: Member) => Promise<Member>,
): Promise<Member | NotChanged> {
  return write(async (sql) => {
    if (engine === 'postgres')
      await sql.run('SELECT 1 FROM organizations WHERE id = ? FOR NO KEY UPDATE', [organizationId]);
    const member = await findMember(sql, 'user_id', [organizationId, userId]);
    if (member === null) return 'not-a-member';
    if (member.role === 'owner' && !isKept && !(await hasOtherOwner(sql, member))) return 'last-owner';
    return work(sql, member);
  });
}

async function hasOtherOwner(sql: Sql, { organizationId, user }: Member): Promise<boolean> {
  const other = await sql.get(
    `SELECT 1 FROM memberships WHERE organization_id = ? AND role = 'owner' AND user_id <> ? LIMIT 1`,
    [organizationId, user.id],
  );
  return other !== undefined;
}

/** Thrown inside a transaction to roll it back. */
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
  buildEvent: (registered: Registered) => RegistrationEvent | null,
): Promise<{ readonly registered: Member; readonly deliveryId: number | null }> {
  const invitedIdpId = await closeInvitation(sql, member);
  const user = await registeredUser(sql, member);
  const added = await addMember(sql, { ...member, invitedIdpId }, user);
  const event = buildEvent({
    organization: await organizationOf({ engine, sql }, member.organizationId),
    member: added,
    webhook: await webhookOf(sql, member.organizationId),
  });
  if (event !== null) await insertEvent(sql, event);
  const deliveryId = event?.isDelivered === true ? await insertDelivery(sql, event) : null;
  return { registered: added, deliveryId };
}

/** Returns the invitation's `idpId`, if there is one. */
async function closeInvitation(
  sql: Sql,
  { organizationId, invitationId, at }: NewMember,
): Promise<string | null> {
  if (invitationId === null) return null;
  const [closed] = await sql.all<{ idp_id: string | null }>(
    `UPDATE invitations SET accepted_at = ?
    WHERE organization_id = ? AND id = ? AND accepted_at IS NULL AND revoked_at IS NULL
    RETURNING idp_id`,
    [at, organizationId, invitationId],
  );
  if (closed === undefined) throw new RolledBack('invitation-closed');
  return closed.idp_id;
}

async function registeredUser(sql: Sql, { user }: NewMember): Promise<User> {
  if ('id' in user) return userById(sql, user.id);
  const created = await insertUser(sql, user);
  if (created === null) throw new RolledBack('account-exists');
  return created;
}

async function addMember(
  sql: Sql,
  member: NewMember & { readonly invitedIdpId: string | null },
  user: User,
): Promise<Member> {
  const { organizationId, role } = member;
  const uuid = member.uuid ?? user.uuid;
  // Another member may have the invitation's idpId by now.
  for (const idpId of member.idpId === null ? [member.invitedIdpId, null] : [member.idpId]) {
    const { changes } = await sql.run(
      `INSERT INTO memberships (organization_id, user_id, uuid, role, idp_id, created_at)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`,
      [organizationId, user.id, uuid, role, idpId, member.at],
    );
    if (changes > 0) return { organizationId, user, uuid, role, idpId };
  }
  throw await whyNotAdded(sql, member, user);
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

/** On PostgreSQL this locks the webhook until the end of the transaction, so that the event still fits it at the commit. */
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
