import type { NewUser, User, Users } from '@rollcall/core';
import { renamedHosts } from '@rollcall/core/adapters';
import { exists, lock, type Sql } from '../engine/database.js';
import type { StorageDatabase, Transaction } from '../outbox/waiting-deliveries.js';
import { isPostgresConstraintError } from '../postgres/errors.js';
import { holdsFactor } from './holds-factor.js';
import { writeJournal } from './journal.js';
import { changeMeetings, leadsMeetings } from './led-meetings.js';
import { insertMails } from './mails.js';
import { lockMeetings } from './meeting-clock.js';
import { holdsPassword, insertSession } from './sessions.js';
import { storedUser } from './user-row.js';

export function sqlUsers({ read, write }: StorageDatabase): Users {
  return {
    byEmail: (email) => storedUser.first(read, 'FROM users WHERE email = ?', [email]),

    async passwordHash(userId) {
      const row = await read.get<{ password_hash: string | null }>(
        'SELECT password_hash FROM users WHERE id = ?',
        [userId],
      );
      return row?.password_hash ?? null;
    },

    setPasswordHash: ({ userId, hash }) =>
      write(async (sql) => {
        const { changes } = await sql.run('UPDATE users SET password_hash = ? WHERE id = ?', [hash, userId]);
        await endAccess(sql, userId);
        return changes === 1;
      }),

    replacePasswordHash: ({ from, to, session, mails = [] }) =>
      write(async (sql) => {
        const { userId, hasSecondFactor = false } = session;
        if (!(await holdsPassword(sql, { userId, hash: from }))) return false;
        if (hasSecondFactor !== (await holdsFactor(sql, userId))) return false;
        await sql.run('UPDATE users SET password_hash = ? WHERE id = ?', [to, userId]);
        await endAccess(sql, userId);
        await insertSession(sql, session);
        await insertMails(sql, mails);
        return true;
      }),

    async setEmail({ from, to }, journal) {
      try {
        return await write((sql) => setEmail(sql, { from, to }, journal));
      } catch (error) {
        // Another user took the address at the same time.
        if (!isPostgresConstraintError(error) || !(await hasEmail(read, to))) throw error;
        return 'email-taken';
      }
    },

    setName: (change, journal) => write((sql) => setName(sql, change, journal)),

    create: (user) => write((sql) => insertUser(sql, user)),
  };
}

export async function setEmail(
  sql: Transaction,
  { from, to }: Parameters<Users['setEmail']>[0],
  journal: Parameters<Users['setEmail']>[1],
): ReturnType<Users['setEmail']> {
  const user = await storedUser.changed(
    sql,
    `UPDATE users SET email = ?
    WHERE email = ? AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.email = ? AND other.id <> users.id)`,
    [to, from, to],
  );
  if (user === null) return (await hasEmail(sql, from)) ? 'email-taken' : 'not-a-user';
  const organizationIds = await organizationsOf(sql, user.id);
  await endAccess(sql, user.id);
  await writeJournal(sql, journal?.({ user, organizationIds }));
  return user;
}

export async function setName(
  sql: Transaction,
  { userId, firstName, lastName, onlyOf }: Parameters<Users['setName']>[0],
  journal: Parameters<Users['setName']>[1],
): ReturnType<Users['setName']> {
  // An import locks meetings before people.
  const isLeader = await leadsMeetings(sql, userId);
  if (isLeader) await lockMeetings(sql);
  // No other transaction makes the person a member until this one ends.
  await lock(sql, 'SELECT 1 FROM users WHERE id = ? FOR UPDATE', [userId]);
  const before = await findUser(sql, userId);
  const organizationIds = await organizationsOf(sql, userId);
  if (before === null || (onlyOf !== undefined && !organizationIds.includes(onlyOf))) return 'not-found';
  if (onlyOf !== undefined && (organizationIds.length > 1 || (await leadsElsewhere(sql, userId, onlyOf))))
    return 'in-other-organization';
  if (before.firstName === firstName && before.lastName === lastName) return before;
  await sql.run('UPDATE users SET first_name = ?, last_name = ? WHERE id = ?', [firstName, lastName, userId]);
  const user = { ...before, firstName, lastName };
  const hosts = [...renamedHosts(before, user)].filter(([from, to]) => from !== to);
  if (isLeader && hosts.length > 0)
    await changeMeetings(sql, {
      where: `group_leader_id = ? AND host IN (${hosts.map(() => '?').join(', ')})`,
      values: [userId, ...hosts.map(([from]) => from)],
      set: `host = CASE host ${hosts.map(() => 'WHEN ? THEN ?').join(' ')} END`,
      setValues: hosts.flat(),
    });
  await writeJournal(sql, journal?.({ user, before, organizationIds }));
  return user;
}

function leadsElsewhere(sql: Sql, userId: number, organizationId: number): Promise<boolean> {
  return exists(
    sql,
    'FROM meetings WHERE group_leader_id = ? AND organization_id IS DISTINCT FROM ? LIMIT 1',
    [userId, organizationId],
  );
}

export async function organizationsOf(sql: Sql, userId: number): Promise<readonly number[]> {
  const rows = await sql.all<{ organization_id: number }>(
    'SELECT organization_id FROM memberships WHERE user_id = ?',
    [userId],
  );
  return rows.map(({ organization_id }) => organization_id).sort((a, b) => a - b);
}

function hasEmail(sql: Sql, email: string): Promise<boolean> {
  return exists(sql, 'FROM users WHERE email = ?', [email]);
}

/** Ends every session and password reset of the user. */
export async function endAccess(sql: Sql, userId: number): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE user_id = ?', [userId]);
  await sql.run('DELETE FROM password_resets WHERE user_id = ?', [userId]);
}

/** Stores a user. Null when the address belongs to another user. */
export function insertUser(sql: Sql, user: NewUser): Promise<User | null> {
  return storedUser.changed(
    sql,
    `INSERT INTO users (uuid, email, first_name, last_name, password_hash, created_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (email) DO NOTHING`,
    [user.uuid, user.email, user.firstName, user.lastName, user.passwordHash, user.createdAt],
  );
}

export function findUser(sql: Sql, userId: number): Promise<User | null> {
  return storedUser.first(sql, 'FROM users WHERE id = ?', [userId]);
}
