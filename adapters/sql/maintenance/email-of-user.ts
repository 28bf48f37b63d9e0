import type { Database } from '../engine/database.js';
import { selectOne } from '../engine/statements.js';

/** The address of a user. For addresses that can't be typed. Null when there is no such user. */
export async function emailOf({ read }: Database, userId: number): Promise<string | null> {
  const row = await selectOne<{ email: string }>(read)`SELECT email FROM users WHERE id = ${userId}`;
  return row?.email ?? null;
}
