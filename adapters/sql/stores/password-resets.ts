import type { PasswordResets } from '@rollcall/core';
import { raw } from '../engine/sql-text.js';
import { execute, select, selectOne } from '../engine/statements.js';
import type { StoredRow } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { lockUserOf } from './locks.js';
import { insertMails } from './mails.js';
import { storedUser } from './user-row.js';
import { endAccess } from './users.js';

export function sqlPasswordResets({ read, write }: StorageDatabase): PasswordResets {
  return {
    store: ({ hash, email, createdAt, expiresAt }) =>
      write(async (sql) => {
        // A change of the address waits for this lock, and then ends the link.
        const user = await storedUser.first(sql)`FROM users WHERE email = ${email} FOR KEY SHARE`;
        if (user === null) return null;
        await execute(sql)`INSERT INTO password_resets (hash, user_id, created_at, expires_at)
          VALUES (${hash}, ${user.id}, ${createdAt}, ${expiresAt})`;
        return user;
      }),

    async find(hash) {
      const row = await selectOne<StoredRow & { readonly expires_at: string }>(read)`
        SELECT ${raw(storedUser.columns)}, (SELECT expires_at FROM password_resets
        WHERE hash = ${hash}) AS expires_at
        FROM users WHERE id = (SELECT user_id FROM password_resets WHERE hash = ${hash})`;
      return row === undefined ? null : { user: storedUser.read(row), expiresAt: new Date(row.expires_at) };
    },

    redeem: ({ hash, at, passwordHash, mails }) =>
      write(async (sql) => {
        await lockUserOf(sql, 'password_resets', hash);
        const [reset] = await select<{ user_id: number }>(sql)`DELETE FROM password_resets
          WHERE hash = ${hash} AND expires_at > ${at} RETURNING user_id`;
        if (reset === undefined) return false;
        await execute(sql)`UPDATE users SET password_hash = ${passwordHash} WHERE id = ${reset.user_id}`;
        await endAccess(sql, reset.user_id);
        await insertMails(sql, mails);
        return true;
      }),
  };
}
