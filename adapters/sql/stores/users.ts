import type { NewUser, User, Users } from '@rollcall/core';
import type { Database, Sql } from '../engine/database.js';
import { isPostgresConstraintError } from '../postgres/errors.js';
import { insertEntries } from './audit-trail.js';
import { insertMails } from './mails.js';
import { insertSession } from './sessions.js';
import { toUser, type UserRow, userColumns } from './user-row.js';

export function sqlUsers({ read, write }: Database): Users {
  return {
    async byEmail(email) {
      const row = await read.get<UserRow>(`SELECT ${userColumns} FROM users WHERE email = ?`, [email]);
      return row === undefined ? null : toUser(row);
    },

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
        const { changes } = await sql.run(
          'UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?',
          [to, session.userId, from],
        );
        if (changes === 0) return false;
        await endAccess(sql, session.userId);
        await insertSession(sql, session);
        await insertMails(sql, mails);
        return true;
      }),

    async setEmail({ from, to }, buildEntries) {
      try {
        return await write((sql) => setEmail(sql, { from, to }, buildEntries));
      } catch (error) {
        // Another user took the address at the same time.
        if (!isPostgresConstraintError(error) || !(await hasEmail(read, to))) throw error;
        return 'email-taken';
      }
    },

    create: (user) => write((sql) => insertUser(sql, user)),
  };
}

async function setEmail(
  sql: Sql,
  { from, to }: Parameters<Users['setEmail']>[0],
  buildEntries: Parameters<Users['setEmail']>[1],
): ReturnType<Users['setEmail']> {
  const [row] = await sql.all<UserRow>(
    `UPDATE users SET email = ?
    WHERE email = ? AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.email = ? AND other.id <> users.id)
    RETURNING ${userColumns}`,
    [to, from, to],
  );
  if (row === undefined) return (await hasEmail(sql, from)) ? 'email-taken' : 'not-a-user';
  const user = toUser(row);
  const memberships = await sql.all<{ organization_id: number }>(
    'SELECT organization_id FROM memberships WHERE user_id = ?',
    [user.id],
  );
  const organizationIds = memberships.map(({ organization_id }) => organization_id).sort((a, b) => a - b);
  await endAccess(sql, user.id);
  await insertEntries(sql, buildEntries?.({ user, organizationIds }));
  return user;
}

async function hasEmail(sql: Sql, email: string): Promise<boolean> {
  return (await sql.get('SELECT 1 FROM users WHERE email = ?', [email])) !== undefined;
}

/** Ends every session and password reset of the user. */
export async function endAccess(sql: Sql, userId: number): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE user_id = ?', [userId]);
  await sql.run('DELETE FROM password_resets WHERE user_id = ?', [userId]);
}

/** Stores a user. Null when the address belongs to another user. */
export async function insertUser(sql: Sql, user: NewUser): Promise<User | null> {
  const [row] = await sql.all<UserRow>(
    `INSERT INTO users (uuid, email, first_name, last_name, password_hash, created_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (email) DO NOTHING
    RETURNING ${userColumns}`,
    [user.uuid, user.email, user.firstName, user.lastName, user.passwordHash, user.createdAt],
  );
  return row === undefined ? null : toUser(row);
}

export async function findUser(sql: Sql, userId: number): Promise<User | null> {
  const row = await sql.get<UserRow>(`SELECT ${userColumns} FROM users WHERE id = ?`, [userId]);
  return row === undefined ? null : toUser(row);
}
