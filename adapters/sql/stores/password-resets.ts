import type { PasswordResets } from '@rollcall/core';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { lockUserOf } from './lock-user.js';
import { insertMails } from './mails.js';
import { toUser, type UserRow, userColumns } from './user-row.js';
import { endAccess } from './users.js';

export function sqlPasswordResets({ read, write }: StorageDatabase): PasswordResets {
  return {
    store: ({ hash, email, createdAt, expiresAt }) =>
      write(async (sql) => {
        // A change of the address waits for this lock, and then ends the link.
        const row = await sql.get<UserRow>(`SELECT ${userColumns} FROM users WHERE email = ? FOR KEY SHARE`, [
          email,
        ]);
        if (row === undefined) return null;
        const user = toUser(row);
        await sql.run(
          'INSERT INTO password_resets (hash, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)',
          [hash, user.id, createdAt, expiresAt],
        );
        return user;
      }),

    async find(hash) {
      const row = await read.get<UserRow & { readonly expires_at: string }>(
        `SELECT ${userColumns}, (SELECT expires_at FROM password_resets WHERE hash = ?) AS expires_at
        FROM users WHERE id = (SELECT user_id FROM password_resets WHERE hash = ?)`,
        [hash, hash],
      );
      return row === undefined ? null : { user: toUser(row), expiresAt: new Date(row.expires_at) };
    },

    redeem: ({ hash, at, passwordHash, mails }) =>
      write(async (sql) => {
        await lockUserOf(sql, { table: 'password_resets', hash });
        const [reset] = await sql.all<{ user_id: number }>(
          'DELETE FROM password_resets WHERE hash = ? AND expires_at > ? RETURNING user_id',
          [hash, at],
        );
        if (reset === undefined) return false;
        await sql.run('UPDATE users SET password_hash = ? WHERE id = ?', [passwordHash, reset.user_id]);
        await endAccess(sql, reset.user_id);
        await insertMails(sql, mails);
        return true;
      }),
  };
}
