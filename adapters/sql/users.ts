import type { NewUser, User, Users } from '@rollcall/core';
import type { Database, Sql } from './database.js';
import { insertSession } from './sessions.js';

export interface UserRow {
  readonly user_id: number;
  readonly user_uuid: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly avatar: string | null;
  readonly user_created_at: string;
}

/** The columns of a `UserRow`, of the table `users`. */
export const userColumns =
  'users.id AS user_id, users.uuid AS user_uuid, users.email, users.first_name, users.last_name, ' +
  'users.avatar, users.created_at AS user_created_at';

export function toUser(row: UserRow): User {
  return {
    id: row.user_id,
    uuid: row.user_uuid,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    avatar: row.avatar,
    createdAt: new Date(row.user_created_at),
  };
}

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
        await sql.run('DELETE FROM sessions WHERE user_id = ?', [userId]);
        return changes === 1;
      }),

    replacePasswordHash: ({ from, to, session }) =>
      write(async (sql) => {
        const { changes } = await sql.run(
          'UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?',
          [to, session.userId, from],
        );
        if (changes === 0) return false;
        await sql.run('DELETE FROM sessions WHERE user_id = ?', [session.userId]);
        await insertSession(sql, session);
        return true;
      }),

    create: (user) => write((sql) => insertUser(sql, user)),
  };
}

/** Null when the address belongs to somebody already. */
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

export async function userById(sql: Sql, userId: number): Promise<User> {
  const row = await sql.get<UserRow>(`SELECT ${userColumns} FROM users WHERE id = ?`, [userId]);
  if (row === undefined) throw new Error(`there is no user ${userId}`);
  return toUser(row);
}
