import type {
  Member,
  MemberOrder,
  Members,
  NewMember,
  NewUser,
  NotChanged,
  NotRegistered,
  Person,
  Role,
  Users,
} from '@rollcall/core';
import { searchPattern, sortKey, withoutAccents } from '@rollcall/core/adapters';
import { type CompanyRow, toOrganization } from './companies.js';
import type { Database } from './database.js';
import { writeDown } from './diary.js';
import { webhookOf } from './hooks.js';
import { loginConflict } from './invites.js';
import { addLetter } from './letters.js';
import { addNotice } from './notices.js';
import { type PersonRow, toUser } from './person.js';
import { addPostcards } from './postcards.js';
import { addVisit, endAccess } from './visits.js';

export function peopleUsers(database: Database): Users {
  return {
    async byEmail(email) {
      const row = database.get<PersonRow>('SELECT * FROM people WHERE mail = ?', email);
      return row === null ? null : toUser(row);
    },

    async passwordHash(userId) {
      return database.get<PersonRow>('SELECT * FROM people WHERE id = ?', userId)?.password ?? null;
    },

    async setPasswordHash({ userId, hash }) {
      return database.transaction(() => {
        endAccess(database, userId);
        return database.run('UPDATE people SET password = ? WHERE id = ?', hash, userId) === 1;
      });
    },

    async replacePasswordHash({ from, to, session, mails }) {
      return database.transaction(() => {
        const text = 'UPDATE people SET password = ? WHERE id = ? AND password = ?';
        if (database.run(text, to, session.userId, from) === 0) return false;
        endAccess(database, session.userId);
        addVisit(database, session);
        addPostcards(database, mails);
        return true;
      });
    },

    async setEmail({ from, to }, buildEntries) {
      return database.transaction(() => {
        const person = database.get<PersonRow>('SELECT * FROM people WHERE mail = ?', from);
        if (person === null) return 'not-a-user';
        const taken = 'SELECT * FROM people WHERE mail = ? AND id <> ?';
        if (database.get<PersonRow>(taken, to, person.id) !== null) return 'email-taken';
        database.run('UPDATE people SET mail = ? WHERE id = ?', to, person.id);
        endAccess(database, person.id);
        const user = toUser({ ...person, mail: to });
        const organizationIds = database
          .all<{ readonly company: number }>(
            'SELECT company FROM staff WHERE person = ? ORDER BY company',
            person.id,
          )
          .map(({ company }) => company);
        writeDown(database, buildEntries?.({ user, organizationIds }));
        return user;
      });
    },

    async create(user) {
      const row = insertPerson(database, user);
      return row === null ? null : toUser(row);
    },
  };
}

/** Null if the address is taken. */
function insertPerson(database: Database, user: NewUser): PersonRow | null {
  return database.get<PersonRow>(
    `INSERT INTO people (public_id, mail, given, family, password, joined) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (mail) DO NOTHING RETURNING *`,
    user.uuid,
    user.email,
    user.firstName,
    user.lastName,
    user.passwordHash,
    user.createdAt.getTime(),
  );
}

interface StaffRow extends PersonRow {
  readonly company: number;
  readonly known_as: string;
  readonly rank: Role;
  readonly login: string | null;
  readonly hired: number;
}

const STAFF = `SELECT people.*, staff.company, staff.public_id AS known_as, staff.rank, staff.login,
  staff.hired
  FROM staff JOIN people ON people.id = staff.person WHERE staff.company = ?`;

function toMember(row: StaffRow): Member {
  const { company: organizationId, known_as: uuid, rank: role, login: idpId } = row;
  return { organizationId, user: toUser(row), uuid, role, idpId, joinedAt: new Date(row.hired) };
}

export function staffMembers(database: Database): Members {
  const found = (row: StaffRow | null): Member | null => (row === null ? null : toMember(row));
  return {
    async byIdpId({ organizationId, idpId }) {
      return found(database.get(`${STAFF} AND staff.login = ?`, organizationId, idpId));
    },

    async byUuid({ organizationId, uuid }) {
      return found(database.get(`${STAFF} AND staff.public_id = ?`, organizationId, uuid));
    },

    async byUserId({ organizationId, userId }) {
      return found(database.get(`${STAFF} AND staff.person = ?`, organizationId, userId));
    },

    async ofUser(userId) {
      const rows = database.all<CompanyRow & { readonly rank: Role }>(
        `SELECT companies.*, staff.rank FROM staff JOIN companies ON companies.id = staff.company
        WHERE staff.person = ? ORDER BY companies.id`,
        userId,
      );
      return rows.map((row) => ({ organization: toOrganization(row), role: row.rank }));
    },

    // Everything happens in one transaction. A refusal is thrown, so that the transaction is rolled back.
    async register(entry, buildEvent, buildEntries) {
      try {
        return database.transaction(() => {
          const company = database.get<CompanyRow>(
            'SELECT * FROM companies WHERE id = ?',
            entry.organizationId,
          );
          if (company === null) throw new RolledBack('unknown-organization');
          const member = insertMember(database, entry);
          const webhook = webhookOf(database, entry.organizationId);
          const event = buildEvent({ organization: toOrganization(company), member, webhook });
          if (event !== null) addNotice(database, event);
          if (event?.isDelivered === true) addLetter(database, event);
          writeDown(database, buildEntries?.(member));
          return member;
        });
      } catch (error) {
        if (error instanceof RolledBack) return error.reason;
        throw error;
      }
    },

    async list({ organizationId, words = [], role, order = 'role', offset, limit }) {
      const found = database
        .all<StaffRow>(`${STAFF} ORDER BY ${ranking[order]}, people.mail`, organizationId)
        .map((row) => ({ ...toMember(row), canSignIn: row.password !== null }))
        .filter((member) => role === undefined || member.role === role)
        .filter(matches(words));
      if (order === 'name') found.sort((one, other) => compareKeys(keyOf(one.user), keyOf(other.user)));
      return { total: found.length, members: found.slice(offset, offset + limit) };
    },

    async listByEmail({ organizationId, after, limit, email, idpId, role, words = [] }) {
      const conditions: readonly (readonly [text: string, value: string | null | undefined])[] = [
        ['people.mail > ?', after],
        ['people.mail = ?', email],
        ['staff.login = ?', idpId],
        ['staff.rank = ?', role],
      ];
      const given = conditions.filter(([, value]) => value !== null && value !== undefined);
      const text = [STAFF, ...given.map(([condition]) => condition)].join(' AND ');
      return database
        .all<StaffRow>(
          `${text} ORDER BY people.mail`,
          organizationId,
          ...given.map(([, value]) => value as string),
        )
        .map(toMember)
        .filter(matches(words))
        .slice(0, limit);
    },

    async setIdpId({ organizationId, userId, idpId, replaces }, buildEntries) {
      return database.transaction(() => {
        const member = found(database.get(`${STAFF} AND staff.person = ?`, organizationId, userId));
        if (member === null) return 'not-a-member';
        if (member.idpId === idpId) return member;
        if (replaces !== undefined && member.idpId !== replaces) return 'outdated';
        const conflict = loginConflict(database, { organizationId, idpId });
        if (conflict !== null) return conflict;
        const text = 'UPDATE staff SET login = ? WHERE company = ? AND person = ?';
        database.run(text, idpId, organizationId, userId);
        const changed = { ...member, idpId };
        writeDown(database, buildEntries?.(changed));
        return changed;
      });
    },

    async changeRole({ organizationId, userId, role, replaces }, buildEntries) {
      return database.transaction(() => {
        const current = found(database.get(`${STAFF} AND staff.person = ?`, organizationId, userId));
        if (current !== null && replaces !== undefined && ![role, replaces].includes(current.role))
          return 'outdated';
        const member = findChangeable(database, { organizationId, userId, newRole: role });
        if (typeof member === 'string' || member.role === role) return member;
        const text = 'UPDATE staff SET rank = ? WHERE company = ? AND person = ?';
        database.run(text, role, organizationId, userId);
        const changed = { ...member, role };
        writeDown(database, buildEntries?.(changed));
        return changed;
      });
    },

    async remove({ organizationId, userId, at, keepsOwners = false }, buildEntries) {
      return database.transaction(() => {
        const isOwner = `SELECT 1 FROM staff WHERE company = ? AND person = ? AND rank = 'owner'`;
        if (keepsOwners && database.get(isOwner, organizationId, userId) !== null) return 'is-owner';
        const member = findChangeable(database, { organizationId, userId, newRole: null });
        if (typeof member === 'string') return member;
        for (const table of ['staff', 'visits', 'door_codes', 'almanacs']) {
          database.run(`DELETE FROM ${table} WHERE company = ? AND person = ?`, organizationId, userId);
        }
        database.run(
          `UPDATE invites SET withdrawn = ?
          WHERE company = ? AND mail = ? AND accepted IS NULL AND withdrawn IS NULL`,
          ...[at.getTime(), organizationId, member.user.email],
        );
        writeDown(database, buildEntries?.(member));
        return member;
      });
    },
  };
}

/** People of the same name stay in the order of their addresses. */
const ranking: Record<MemberOrder, string> = {
  role: `staff.rank <> 'owner', staff.rank <> 'admin'`,
  name: 'true',
  newest: 'staff.hired DESC',
};

export function keyOf({ firstName, lastName }: Pick<Person, 'firstName' | 'lastName'>): Buffer {
  return Buffer.from(sortKey(`${firstName} ${lastName}`));
}

/** Bytes have the order of code points. */
export const compareKeys = Buffer.compare;

/** Whether each word is part of a name, the address or the id at the identity provider. */
function matches(words: readonly string[]): (member: Member) => boolean {
  const isFound = hasWords(words);
  return ({ user, idpId }) => isFound({ ...user, idpId });
}

export function hasWords(words: readonly string[]): (person: Person & Pick<Member, 'idpId'>) => boolean {
  const patterns = words.map(searchPattern);
  return ({ firstName, lastName, email, idpId }) => {
    const texts = [firstName, lastName, email, idpId ?? ''].map(withoutAccents);
    return patterns.every((pattern) => texts.some((text) => pattern.test(text)));
  };
}

/** The current member, unless the company would be left without an owner. `newRole` is null for a removal. */
function findChangeable(
  database: Database,
  change: { readonly organizationId: number; readonly userId: number; readonly newRole: Role | null },
): Member | NotChanged {
  const { organizationId, userId, newRole } = change;
  const row = database.get<StaffRow>(`${STAFF} AND staff.person = ?`, organizationId, userId);
  if (row === null) return 'not-a-member';
  const owners = database.count(`FROM staff WHERE company = ? AND rank = 'owner'`, organizationId);
  return row.rank === 'owner' && newRole !== 'owner' && owners === 1 ? 'last-owner' : toMember(row);
}

class RolledBack extends Error {
  readonly reason: NotRegistered;

  constructor(reason: NotRegistered) {
    super(reason);
    this.reason = reason;
  }
}

function insertMember(database: Database, entry: NewMember): Member {
  const { organizationId, invitationId, role } = entry;
  const known =
    'id' in entry.user ? database.get<PersonRow>('SELECT * FROM people WHERE id = ?', entry.user.id) : null;
  const mail = 'id' in entry.user ? (known?.mail ?? '') : entry.user.email;
  const invite = database.get<AcceptedInvite>(
    `UPDATE invites SET accepted = ?
    WHERE company = ? AND ${invitationId === null ? 'mail' : 'id'} = ? AND accepted IS NULL AND withdrawn IS NULL
    RETURNING public_id, login`,
    ...[entry.at.getTime(), organizationId, invitationId ?? mail],
  );
  if (invite === null && invitationId !== null) throw new RolledBack('invitation-closed');
  const person = 'id' in entry.user ? known : insertPerson(database, entry.user);
  if (person === null) throw new RolledBack('id' in entry.user ? 'unknown-user' : 'account-exists');

  const staffOfCompany = `SELECT 1 FROM staff WHERE company = ?`;
  const isMember = database.get(`${staffOfCompany} AND person = ?`, organizationId, person.id) !== null;
  if (isMember) throw new RolledBack('already-member');
  const conflict = loginConflict(database, entry);
  if (conflict !== null) throw new RolledBack(conflict);
  const invited = invite?.login ?? null;
  const isTaken = database.get(`${staffOfCompany} AND login = ?`, organizationId, invited) !== null;
  const idpId = entry.idpId ?? (isTaken ? null : invited);

  const uuid = entry.uuid ?? invite?.public_id ?? person.public_id;
  database.run(
    'INSERT INTO staff (company, person, public_id, rank, login, hired) VALUES (?, ?, ?, ?, ?, ?)',
    ...[organizationId, person.id, uuid, role, idpId, entry.at.getTime()],
  );
  return { organizationId, user: toUser(person), uuid, role, idpId, joinedAt: entry.at };
}

interface AcceptedInvite {
  readonly public_id: string;
  readonly login: string | null;
}
