import type { Database, Sql } from '../engine/database.js';

/**
 * Users are known to the platform by numbers that datasets give, and have numbers of ours where they were made here.
 * The table `platform_numbers` says where these differ; a user who is not in it and whose number is not above this
 * one is the platform's user of the same number.
 */
export const MAX_PLATFORM_NUMBER = 999_999_999_999;

interface Detached {
  readonly id: number;
  readonly email: string;
}

/**
 * From now on the account is one that was made here, and its number or the one that the platform knew it by is free
 * for another user of the platform. Null: there is no user with the address.
 */
export async function detachUser({ write }: Database, email: string): Promise<Detached | null> {
  return write(async (sql) => {
    const user = await sql.get<Detached>('SELECT id, email FROM users WHERE email = ?', [email]);
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
