import type { NewUser, User, Users } from '@rollcall/core';
import { renamedHosts } from '@rollcall/core/adapters';
import type { Sql } from '../engine/database.js';
import { joinTexts, listOf, SQL } from '../engine/sql-text.js';
import { execute, exists, lock, select, selectOne } from '../engine/statements.js';
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
    byEmail: (email) => storedUser.first(read)`FROM users WHERE email = ${email}`,

    async passwordHash(userId) {
      const row = await selectOne<{ password_hash: string | null }>(read)`SELECT password_hash FROM users
        WHERE id = ${userId}`;
      return row?.password_hash ?? null;
    },

    setPasswordHash: ({ userId, hash }) =>
      write(async (sql) => {
        const { changes } = await execute(sql)`UPDATE users SET password_hash = ${hash} WHERE id = ${userId}`;
        await endAccess(sql, userId);
        return changes === 1;
      }),

    replacePasswordHash: ({ from, to, session, mails = [] }) =>
      write(async (sql) => {
        const { userId, hasSecondFactor = false } = session;
        if (!(await holdsPassword(sql, userId, from))) return false;
        if (hasSecondFactor !== (await holdsFactor(sql, userId))) return false;
        await execute(sql)`UPDATE users SET password_hash = ${to} WHERE id = ${userId}`;
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

export async function setEmail(sql: Transaction, ...[{ from, to }, journal]: Parameters<Users['setEmail']>) {
  const user = await storedUser.changed(sql)`UPDATE users SET email = ${to}
    WHERE email = ${from} AND NOT EXISTS (SELECT 1 FROM users AS other
      WHERE other.email = ${to} AND other.id <> users.id)`;
  if (user === null) return (await hasEmail(sql, from)) ? 'email-taken' : 'not-a-user';
  const organizationIds = await organizationsOf(sql, user.id);
  await endAccess(sql, user.id);
  await writeJournal(sql, journal?.({ user, organizationIds }));
  return user;
}

export async function setName(
  sql: Transaction,
  ...[{ userId, firstName, lastName, onlyOf }, journal]: Parameters<Users['setName']>
) {
  // An import locks meetings before people.
  const isLeader = await leadsMeetings(sql, userId);
  if (isLeader) await lockMeetings(sql);
  // No other transaction makes the person a member until this one ends.
  await lock(sql)`SELECT 1 FROM users WHERE id = ${userId} FOR UPDATE`;
  const before = await findUser(sql, userId);
  const organizationIds = await organizationsOf(sql, userId);
  if (before === null || (onlyOf !== undefined && !organizationIds.includes(onlyOf))) return 'not-found';
  if (onlyOf !== undefined && (organizationIds.length > 1 || (await leadsElsewhere(sql, userId, onlyOf))))
    return 'in-other-organization';
  if (before.firstName === firstName && before.lastName === lastName) return before;
  await execute(sql)`UPDATE users SET first_name = ${firstName}, last_name = ${lastName}
    WHERE id = ${userId}`;
  const user = { ...before, firstName, lastName };
  const hosts = [...renamedHosts(before, user)].filter(([from, to]) => from !== to);
  if (isLeader && hosts.length > 0)
    await changeMeetings(
      sql,
      SQL`group_leader_id = ${userId} AND host IN (${listOf(hosts.map(([from]) => from))})`,
      SQL`host = CASE host ${joinTexts(
        hosts.map(([from, to]) => SQL`WHEN ${from} THEN ${to}`),
        ' ',
      )} END`,
    );
  await writeJournal(sql, journal?.({ user, before, organizationIds }));
  return user;
}

function leadsElsewhere(sql: Sql, userId: number, organizationId: number): Promise<boolean> {
  return exists(sql)`FROM meetings
    WHERE group_leader_id = ${userId} AND organization_id IS DISTINCT FROM ${organizationId} LIMIT 1`;
}

export async function organizationsOf(sql: Sql, userId: number): Promise<readonly number[]> {
  const rows = await select<{ organization_id: number }>(sql)`SELECT organization_id FROM memberships
    WHERE user_id = ${userId}`;
  return rows.map(({ organization_id }) => organization_id).sort((a, b) => a - b);
}

function hasEmail(sql: Sql, email: string): Promise<boolean> {
  return exists(sql)`FROM users WHERE email = ${email}`;
}

/** Ends every session and password reset of the user. */
export async function endAccess(sql: Sql, userId: number): Promise<void> {
  await execute(sql)`DELETE FROM sessions WHERE user_id = ${userId}`;
  await execute(sql)`DELETE FROM password_resets WHERE user_id = ${userId}`;
}

/** Stores a user. Null when the address belongs to another user. */
export function insertUser(sql: Sql, user: NewUser): Promise<User | null> {
  return storedUser.changed(sql)`INSERT INTO users
      (uuid, email, first_name, last_name, password_hash, created_at)
    VALUES (${user.uuid}, ${user.email}, ${user.firstName}, ${user.lastName}, ${user.passwordHash},
      ${user.createdAt})
    ON CONFLICT (email) DO NOTHING`;
}

export function findUser(sql: Sql, userId: number): Promise<User | null> {
  return storedUser.first(sql)`FROM users WHERE id = ${userId}`;
}
