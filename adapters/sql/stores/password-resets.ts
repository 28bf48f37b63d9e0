import type { PasswordResets } from '@rollcall/core';
import type { StoredRow } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { lockUserOf } from './lock-user.js';
import { insertMails } from './mails.js';
import { storedUser } from './user-row.js';
import { endAccess } from './users.js';

export function sqlPasswordResets({ read, write }: StorageDatabase): PasswordResets {
  return {
    store: ({ hash, email, createdAt, expiresAt }) =>
      write(async (sql) => {
        // A change of the address waits for this lock, and then ends the link.
        const user = await storedUser.first(sql, 'FROM users WHERE email = ? FOR KEY SHARE', [email]);
        if (user === null) return null;
        await sql.run(
          'INSERT INTO password_resets (hash, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)',
          [hash, user.id, createdAt, expiresAt],
        );
        return user;
      }),

    async find(hash) {
      const row = await read.get<StoredRow & { readonly expires_at: string }>(
        `SELECT ${storedUser.columns}, (SELECT expires_at FROM password_resets WHERE hash = ?) AS expires_at
        FROM users WHERE id = (SELECT user_id FROM password_resets WHERE hash = ?)`,
        [hash, hash],
      );
      return row === undefined ? null : { user: storedUser.read(row), expiresAt: new Date(row.expires_at) };
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
