import type { Engine, Sql } from '../engine/database.js';

/**
 * Locks the user of a session or of a password reset until the transaction ends: on PostgreSQL, others who change the
 * access of this user wait from here on.
 */
export async function lockUserOf(
  table: 'sessions' | 'password_resets',
  { engine, sql, hash }: { readonly engine: Engine; readonly sql: Sql; readonly hash: string },
): Promise<void> {
  if (engine === 'sqlite') return;
  await sql.get(
    `SELECT 1 FROM users WHERE id = (SELECT user_id FROM ${table} WHERE hash = ?) FOR NO KEY UPDATE`,
    [hash],
  );
}
