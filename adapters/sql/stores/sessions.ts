import type { NewSession, Sessions } from '@rollcall/core';
import type { Database, Sql } from '../engine/database.js';
import { unlessUserUnknown } from './unknown-rows.js';
import { toUser, type UserRow, userColumns } from './user-row.js';

interface SessionRow extends UserRow {
  readonly bound_to: number | null;
  readonly opened_at: string;
  readonly seen_at: string;
}

export function sqlSessions({ engine, read, write }: Database): Sessions {
  return {
    async create({ passwordHash, ...session }) {
      const created = await unlessUserUnknown({ read }, session.userId, () =>
        write(async (sql) => {
          if (passwordHash !== null) {
            // On PostgreSQL this locks the hash until the end, so that a later password change also ends this session.
            const lock = engine === 'postgres' ? ' FOR SHARE' : '';
            const user = await sql.get(`SELECT 1 FROM users WHERE id = ? AND password_hash = ?${lock}`, [
              session.userId,
              passwordHash,
            ]);
            if (user === undefined) return false;
          }
          await insertSession(sql, session);
          return true;
        }),
      );
      return created === true;
    },

    async find(hash) {
      const row = await read.get<SessionRow>(
        `SELECT sessions.bound_to, sessions.opened_at, sessions.seen_at, ${userColumns}
        FROM sessions JOIN users ON users.id = sessions.user_id
        WHERE sessions.hash = ?`,
        [hash],
      );
      if (row === undefined) return null;
      return {
        user: toUser(row),
        boundTo: row.bound_to,
        createdAt: new Date(row.opened_at),
        seenAt: new Date(row.seen_at),
      };
    },

    async touch({ hash, at }) {
      await write((sql) =>
        sql.run('UPDATE sessions SET seen_at = ? WHERE hash = ? AND seen_at < ?', [at, hash, at]),
      );
    },

    async end(hash) {
      await write((sql) => sql.run('DELETE FROM sessions WHERE hash = ?', [hash]));
    },
  };
}

export async function insertSession(
  sql: Sql,
  { hash, userId, boundTo, createdAt }: NewSession,
): Promise<void> {
  await sql.run('INSERT INTO sessions (hash, user_id, bound_to, opened_at, seen_at) VALUES (?, ?, ?, ?, ?)', [
    hash,
    userId,
    boundTo,
    createdAt,
    createdAt,
  ]);
}
