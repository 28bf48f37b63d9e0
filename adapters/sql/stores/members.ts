import type {
  Invitation,
  ListedMember,
  Member,
  MemberFilters,
  MemberKey,
  MemberOrder,
  Members,
  MembershipFacts,
  NewMember,
  NotChanged,
  NotRegistered,
  Organization,
  Role,
  User,
} from '@rollcall/core';
import { givenRole } from '@rollcall/core/rules';
import { type Engine, type EngineSql, type Sql, timeEdges, timestampOrNull } from '../engine/database.js';
import { allOf, inLists, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { countsOf, execute, exists, select, totalOf } from '../engine/statements.js';
import { oneOf, type StoredRow, stored, storedIn } from '../engine/stored.js';
import type { StorageDatabase, Transaction } from '../outbox/waiting-deliveries.js';
import { isPostgresConstraintError } from '../postgres/errors.js';
import { endMemberships } from './end-memberships.js';
import { idpIdConflict } from './idp-id.js';
import { storedInvitation } from './invitations.js';
import { writeJournal } from './journal.js';
import { lockAddress, lockIdpId, lockOrganization } from './locks.js';
import { storedOrganization } from './organizations.js';
import { endSetUpsOfOthers } from './setup-links.js';
import { foundMember, sortKeyOf } from './text-search.js';
import { unlessOrganizationUnknown, unlessUserUnknown } from './unknown-rows.js';
import { storedUser } from './user-row.js';
import { findUser, insertUser } from './users.js';

export const ownMembership = storedIn('memberships', {
  ...{ organizationId: 'whole', uuid: 'text', role: oneOf<Role>(), idpId: 'textOrNull' },
  joinedAt: ['created_at', 'time'],
});

export const storedMember = stored<Member>(`${ownMembership.columns}, ${storedUser.columns}`, (row) => ({
  ...ownMembership.read(row),
  user: storedUser.read(row),
}));

const passwordMember = stored<Member & Pick<ListedMember, 'canSignIn' | 'lastSignInAt'>>(
  `${storedMember.columns}, users.password_hash IS NOT NULL AS can_sign_in, users.signed_in_at`,
  (row) => ({
    ...storedMember.read(row),
    canSignIn: Boolean(row.can_sign_in),
    lastSignInAt: timestampOrNull(row.signed_in_at as string | null),
  }),
);

/**
 * The users who are linked to the identity provider of the organization, those who have a second factor, and when they signed
 * in last without their password. Of a member's own audit entries, only those since another sign-in are read: there can be
 * many, and earlier links make no difference.
 */
async function waysInOf(
  sql: Sql,
  { engine, organizationId, userIds }: { engine: Engine; organizationId: number; userIds: readonly number[] },
) {
  const found = { linked: new Set<number>(), factor: new Set<number>(), signedIn: new Map<number, Date>() };
  for (const list of inLists(userIds)) {
    const of = SQL`user_id IN (${list})`;
    const rows = await select<{ id: number; way: 'linked' | 'factor' | 'link'; at: string | null }>(sql)`
      SELECT user_id AS id, 'linked' AS way, used_at AS at FROM identities
        WHERE organization_id = ${organizationId} AND ${of}
      UNION ALL SELECT user_id, 'factor', NULL FROM passkeys WHERE ${of}
      UNION ALL SELECT user_id, 'factor', NULL FROM code_secrets WHERE confirmed_at IS NOT NULL AND ${of}
      UNION ALL SELECT id, 'link', (
        SELECT at FROM audit_entries AS entries
        WHERE entries.organization_id = ${organizationId} AND entries.who = 'user' AND entries.user_id = users.id
          AND entries.action = 'login-link-redeemed' AND entries.at > (
            SELECT max(at) FROM (
              SELECT coalesce(users.signed_in_at, ${timeEdges[engine].before}) AS at
              UNION ALL SELECT used_at FROM identities
                WHERE organization_id = ${organizationId} AND user_id = users.id
            ) AS others
          )
        ORDER BY entries.at DESC, entries.id DESC LIMIT 1
      ) FROM users WHERE id IN (${list})`;
    for (const row of rows) {
      const [id, at] = [Number(row.id), timestampOrNull(row.at)];
      if (row.way !== 'link') found[row.way].add(id);
      const last = latest(found.signedIn.get(id) ?? null, at);
      if (last !== null) found.signedIn.set(id, last);
    }
  }
  return found;
}

function latest(one: Date | null, other: Date | null): Date | null {
  return one === null || (other !== null && other > one) ? other : one;
}

/** Sorts by bytes on both engines. Without a collation, PostgreSQL would follow the language of the database. */
const byteOrder: Record<Engine, SqlText> = {
  sqlite: raw('users.email'),
  postgres: raw('users.email COLLATE "C"'),
};

export function sqlMembers({ engine, read, readAside, write }: StorageDatabase): Members {
  return {
    byIdpId: ({ organizationId, idpId }) => findMember(read, 'idp_id', [organizationId, idpId]),
    byUuid: ({ organizationId, uuid }) => findMember(read, 'uuid', [organizationId, uuid]),
    byUserId: ({ organizationId, userId }) => findMember(read, 'user_id', [organizationId, userId]),

    async ofUser(userId) {
      const rows = await select<StoredRow & { readonly role: Role }>(read)`
        SELECT ${raw(storedOrganization.columns)}, memberships.role
        FROM memberships JOIN organizations ON organizations.id = memberships.organization_id
        WHERE memberships.user_id = ${userId}
        ORDER BY organizations.id`;
      return rows.map((row) => ({ organization: storedOrganization.read(row), role: row.role }));
    },

    async register(member, journal) {
      const { organizationId, user } = member;
      const work = () =>
        write(async (sql) => {
          const registered = await register(sql, member);
          await writeJournal(sql, journal?.(registered));
          return registered.member;
        });
      try {
        return await unlessOrganizationUnknown({ read }, organizationId, () =>
          'id' in user ? unlessUserUnknown({ read }, user.id, work) : work(),
        );
      } catch (error) {
        if (error instanceof RolledBack) return error.reason;
        throw error;
      }
    },

    async list({ organizationId, words, role, order = 'role', offset, limit }) {
      const matching = conditionsFor(engine, { organizationId, words });
      const found = conditionsFor(engine, { organizationId, words, role });
      const place = places[order](engine);
      const aside = readAside(organizationId);
      const page = await passwordMember.all(aside)`
        FROM memberships JOIN users ON users.id = memberships.user_id
        WHERE ${found} ORDER BY ${place}, ${byteOrder[engine]} LIMIT ${limit} OFFSET ${offset}`;
      const userIds = page.map(({ user }) => user.id);
      const ways = await waysInOf(aside, { engine, organizationId, userIds });
      const members = page.map((member) => ({
        ...member,
        hasSecondFactor: ways.factor.has(member.user.id),
        isLinked: ways.linked.has(member.user.id),
        lastSignInAt: latest(member.lastSignInAt, ways.signedIn.get(member.user.id) ?? null),
      }));
      const join = raw(
        words === undefined || words.length === 0 ? '' : 'JOIN users ON users.id = memberships.user_id',
      );
      const counts = await countsOf(aside, roleConditions)`FROM memberships ${join} WHERE ${matching}`;
      return { total: totalOf(counts, role), counts, members };
    },

    listByEmail({ limit, ...query }) {
      const found = conditionsFor(engine, query);
      return storedMember.all(readAside(query.organizationId))`
        FROM memberships JOIN users ON users.id = memberships.user_id
        WHERE ${found} ORDER BY ${byteOrder[engine]} LIMIT ${limit}`;
    },

    async setIdpId(change, journal) {
      try {
        return await write((sql) => setIdpId(sql, change, journal));
      } catch (error) {
        if (!isPostgresConstraintError(error)) throw error;
        // Another member took the id at the same time.
        const conflict = await idpIdConflict(read, change, change);
        if (conflict === null) throw error;
        return conflict;
      }
    },

    changeRole({ role, replaces, ...key }, journal) {
      // If the request replaces another role than owner, an owner stays owner because the request is outdated.
      const isKept = role === 'owner' || (replaces !== undefined && replaces !== 'owner');
      return change(write, { ...key, isKept }, async (sql, member) => {
        if (member.role === role) return member;
        if (replaces !== undefined && member.role !== replaces) return 'outdated';
        await execute(sql)`UPDATE memberships SET role = ${role}
          WHERE organization_id = ${key.organizationId} AND user_id = ${key.userId}`;
        if (member.role === 'owner') await endSetUpsOfOthers(sql, key.organizationId);
        const changed = { ...member, role };
        await writeJournal(sql, journal?.({ ...changed, before: member.role }));
        return changed;
      });
    },

    remove: ({ at, keepsOwners, ...key }, journal) =>
      change(write, { ...key, isKept: keepsOwners === true }, async (sql, member) => {
        if (keepsOwners && member.role === 'owner') return 'is-owner';
        await endMemberships(sql, { where: isMembership(key), at });
        const organization = await organizationOf(sql, key.organizationId);
        await writeJournal(sql, journal?.({ organization, member }));
        return member;
      }),
  };
}

const roleConditions: Record<Role, string> = {
  owner: "memberships.role = 'owner'",
  admin: "memberships.role = 'admin'",
  member: "memberships.role = 'member'",
};

/** What each order sorts by first. */
const places: Record<MemberOrder, (engine: Engine) => SqlText> = {
  role: () => raw("CASE memberships.role WHEN 'owner' THEN 0 WHEN 'admin' THEN 1 ELSE 2 END"),
  name: (engine) => sortKeyOf[engine]("users.first_name || ' ' || users.last_name"),
  newest: () => raw('memberships.created_at DESC'),
};

interface Query extends MemberFilters {
  readonly organizationId: number;
  readonly after?: string | null;
}

function conditionsFor(
  engine: Engine,
  { organizationId, email, idpId, role, words = [], after = null }: Query,
): SqlText {
  return allOf(
    SQL`memberships.organization_id = ${organizationId}`,
    email !== undefined && SQL`users.email = ${email}`,
    idpId !== undefined && SQL`memberships.idp_id = ${idpId}`,
    role !== undefined && SQL`memberships.role = ${role}`,
    foundMember(engine, words),
    after !== null && SQL`${byteOrder[engine]} > ${after}`,
  );
}

type KeyColumn = 'idp_id' | 'uuid' | 'user_id';

export function findMember(
  sql: Sql,
  key: KeyColumn,
  [organizationId, value]: readonly [number, string | number],
  lock = '',
): Promise<Member | null> {
  return storedMember.first(sql)`FROM memberships JOIN users ON users.id = memberships.user_id
    WHERE memberships.organization_id = ${organizationId} AND memberships.${raw(key)} = ${value}${raw(lock)}`;
}

/** The condition on the table `memberships` that it is this one. */
export function isMembership({ organizationId, userId }: MemberKey): SqlText {
  return SQL`memberships.organization_id = ${organizationId} AND memberships.user_id = ${userId}`;
}

async function setIdpId(sql: Transaction, ...[change, journal]: Parameters<Members['setIdpId']>) {
  const { idpId, replaces, ...key } = change;
  await lockIdpId(sql, key.organizationId, idpId);
  const member = await findMember(
    sql,
    'user_id',
    [key.organizationId, key.userId],
    ' FOR UPDATE OF memberships',
  );
  if (member === null) return 'not-a-member';
  if (member.idpId === idpId) return member;
  if (replaces !== undefined && member.idpId !== replaces) return 'outdated';
  if (await isKeptByDirectory(sql, member)) return 'kept-by-directory';
  const conflict = await idpIdConflict(sql, { ...key, idpId });
  if (conflict !== null) return conflict;
  await execute(sql)`UPDATE memberships SET idp_id = ${idpId}
    WHERE organization_id = ${key.organizationId} AND user_id = ${key.userId}`;
  const changed = { ...member, idpId };
  await writeJournal(sql, journal?.({ ...changed, before: member.idpId }));
  return changed;
}

function isKeptByDirectory(sql: Sql, { organizationId, uuid }: Member): Promise<boolean> {
  return exists(sql)`FROM directory_people
    WHERE organization_id = ${organizationId} AND uuid = ${uuid} AND external_id IS NOT NULL`;
}

/**
 * Changes a member, unless that would leave the organization without an owner. Changes of one organization's members
 * run one at a time. `isKept` means that an owner stays an owner.
 */
async function change<Answer>(
  write: StorageDatabase['write'],
  { organizationId, userId, isKept }: MemberKey & { readonly isKept: boolean },
  work: (sql: Transaction, member: Member) => Promise<Answer>,
): Promise<Answer | NotChanged> {
  return write(async (sql) => {
    await lockOrganization(sql, organizationId);
    const member = await findMember(sql, 'user_id', [organizationId, userId]);
    if (member === null) return 'not-a-member';
    if (member.role === 'owner' && !isKept && !(await hasOtherOwner(sql, member))) return 'last-owner';
    return work(sql, member);
  });
}

export function hasOtherOwner(sql: Sql, { organizationId, user }: Member): Promise<boolean> {
  return exists(sql)`FROM memberships
    WHERE organization_id = ${organizationId} AND role = 'owner' AND user_id <> ${user.id} LIMIT 1`;
}

/** Thrown inside a transaction to roll it back. */
export class RolledBackFor<Reason extends string> extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

export class RolledBack extends RolledBackFor<NotRegistered> {}

export async function register(sql: EngineSql, member: NewMember): Promise<MembershipFacts> {
  const { organizationId } = member;
  const { email } = 'id' in member.user ? await knownUser(sql, member.user.id) : member.user;
  await lockAddress(sql, organizationId, email);
  const invited = await acceptInvitation(sql, { ...member, email });
  const user = await registeredUser(sql, member);
  await lockIdpId(sql, organizationId, member.idpId ?? invited.idpId);
  const added = await addMember(sql, { ...member, invited }, user);
  return { organization: await organizationOf(sql, organizationId), member: added };
}

async function knownUser(sql: Sql, userId: number): Promise<User> {
  const user = await findUser(sql, userId);
  if (user === null) throw new RolledBack('unknown-user');
  return user;
}

/** The values that the invitation gives to the member. Null: there is none. */
interface Invited {
  readonly uuid: string | null;
  readonly idpId: string | null;
  readonly role: Role;
}

/** Accepts the given invitation, or else the pending one of the address. */
async function acceptInvitation(
  sql: Sql,
  { organizationId, invitationId, email, at }: NewMember & { readonly email: string },
): Promise<Invited> {
  const accepted = await storedInvitation.changed(sql)`UPDATE invitations SET accepted_at = ${at}
    WHERE organization_id = ${organizationId}
      AND ${raw(invitationId === null ? 'email' : 'id')} = ${invitationId ?? email}
      AND accepted_at IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${at})`;
  if (accepted !== null) {
    const role = givenRole(accepted, await isByOwner(sql, accepted));
    return { uuid: accepted.userUuid, idpId: accepted.idpId, role };
  }
  if (invitationId !== null) throw new RolledBack('invitation-closed');
  return { uuid: null, idpId: null, role: 'member' };
}

/** Whether the inviter is an owner now. Not asked if it makes no difference. */
async function isByOwner(sql: Sql, { organizationId, role, invitedBy }: Invitation): Promise<boolean> {
  if (role === 'member' || invitedBy?.kind !== 'user') return false;
  return exists(sql)`FROM memberships
    WHERE organization_id = ${organizationId} AND user_id = ${invitedBy.userId} AND role = 'owner'`;
}

async function registeredUser(sql: Sql, { user }: NewMember): Promise<User> {
  if ('id' in user) return knownUser(sql, user.id);
  const created = await insertUser(sql, user);
  if (created === null) throw new RolledBack('account-exists');
  return created;
}

async function addMember(sql: Sql, member: NewMember & { readonly invited: Invited }, user: User) {
  const { organizationId, invited } = member;
  const role = member.role ?? invited.role;
  const uuid = member.uuid ?? invited.uuid ?? user.uuid;
  // Another member may have the invitation's idpId by now.
  for (const idpId of new Set([member.idpId ?? invited.idpId, member.idpId])) {
    const { changes } = await execute(sql)`INSERT INTO memberships
        (organization_id, user_id, uuid, role, idp_id, needs_sign_on, created_at)
      VALUES (${organizationId}, ${user.id}, ${uuid}, ${role}, ${idpId}, ${member.needsSignOn ?? false},
        ${member.at})
      ON CONFLICT DO NOTHING`;
    if (changes === 0) continue;
    const conflict = await idpIdConflict(sql, member, { userId: user.id });
    if (conflict !== null) throw new RolledBack(conflict);
    return { organizationId, user, uuid, role, idpId, joinedAt: member.at };
  }
  throw await whyNotAdded(sql, member, user);
}

async function whyNotAdded(sql: Sql, { organizationId, idpId }: NewMember, user: User): Promise<Error> {
  const isMember = await exists(sql)`FROM memberships
    WHERE organization_id = ${organizationId} AND user_id = ${user.id}`;
  if (isMember) return new RolledBack('already-member');
  const conflict = await idpIdConflict(sql, { organizationId, idpId });
  return conflict === null
    ? new Error('another member of the organization has the UUID')
    : new RolledBack(conflict);
}

/** Locks the webhook until the end of the transaction, so that the event still fits it at the commit. */
export async function organizationOf(sql: Sql, organizationId: number): Promise<Organization> {
  const found = await storedOrganization.first(sql)`FROM organizations WHERE id = ${organizationId}
    FOR SHARE`;
  if (found === null) throw new Error(`there is no organization ${organizationId}`);
  return found;
}
