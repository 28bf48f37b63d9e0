import type { Database, Sql } from '../engine/database.js';

/**
 * The highest number that the platform assigns. Datasets identify users by the platform's numbers. Users created here
 * get higher numbers. The table `platform_numbers` has the users whose two numbers differ. A user who is not in it, and
 * whose number is not higher than this one, is the platform's user with the same number.
 */
export const MAX_PLATFORM_NUMBER = 999_999_999_999;

interface DetachedUser {
  readonly id: number;
  readonly email: string;
}

/**
 * Turns the account into one that was created here. Its platform number is then free for another user of the platform.
 * Null when there is no user with the address.
 */
export async function detachUser({ write }: Database, email: string): Promise<DetachedUser | null> {
  return write(async (sql) => {
    const user = await sql.get<DetachedUser>('SELECT id, email FROM users WHERE email = ?', [email]);
    if (user === undefined) return null;
    await detach(sql, user.id);
    return user;
  });
}

async function detach(sql: Sql, id: number): Promise<void> {
  if (id > MAX_PLATFORM_NUMBER) {
    await sql.run('DELETE FROM platform_numbers WHERE user_id = ?', [id]);
    return;
  }
  await sql.run(
    `INSERT INTO platform_numbers (user_id) VALUES (?)
    ON CONFLICT (user_id) DO UPDATE SET platform_id = NULL`,
    [id],
  );
}
