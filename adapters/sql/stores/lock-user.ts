import type { EngineSql } from '../engine/database.js';
import { lock, raw } from '../engine/sql-text.js';

/**
 * Locks the user of a session or of a password reset until the transaction ends: on PostgreSQL, others who change the
 * access of this user wait from here on.
 */
export async function lockUserOf(
  sql: EngineSql,
  { table, hash }: { readonly table: 'sessions' | 'password_resets'; readonly hash: string },
): Promise<void> {
  await lock(sql)`SELECT 1 FROM users WHERE id = (SELECT user_id FROM ${raw(table)} WHERE hash = ${hash})
    FOR NO KEY UPDATE`;
}
