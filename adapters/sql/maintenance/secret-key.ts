import type { Database, Sql } from '../engine/database.js';

export interface AdoptSecretKey {
  /** The id of the key that is used from now on. */
  readonly current: string;
  /** The ids of all keys that still read what they made, the current one among them. */
  readonly known: readonly string[];
  readonly at: Date;
}

/**
 * Notes which secret key the database is used with; false when it was used with one that is not known any
 * more, so that nothing it protects could be read.
 */
export async function adoptSecretKey(
  { engine, read, write }: Database,
  { current, known, at }: AdoptSecretKey,
): Promise<boolean> {
  const row = await read.get<{ key_id: string }>('SELECT key_id FROM secret_key');
  if (row?.key_id === current) return true;
  return write(async (sql) => {
    // Of several instances that start at once each sees what the one before it noted.
    if (engine === 'postgres') await sql.run('LOCK TABLE secret_key IN EXCLUSIVE MODE');
    const stored = await sql.get<{ key_id: string }>('SELECT key_id FROM secret_key');
    if (stored !== undefined && !known.includes(stored.key_id)) return false;
    if (stored !== undefined) await noteUse(sql, { keyId: stored.key_id, at });
    await sql.run('DELETE FROM secret_key');
    await sql.run('INSERT INTO secret_key (key_id) VALUES (?)', [current]);
    return true;
  });
}

export interface SecretKeyUse {
  readonly keyId: string;
  readonly at: Date;
}

/** Notes that new things are made with this key, as they were until now; never moves it back. */
export async function noteSecretKeyUse({ write }: Pick<Database, 'write'>, use: SecretKeyUse): Promise<void> {
  await write((sql) => noteUse(sql, use));
}

async function noteUse(sql: Sql, { keyId, at }: SecretKeyUse): Promise<void> {
  await sql.run(
    `INSERT INTO secret_key_uses (key_id, used_at) VALUES (?, ?)
    ON CONFLICT (key_id) DO UPDATE SET used_at = excluded.used_at
    WHERE secret_key_uses.used_at < excluded.used_at`,
    [keyId, at],
  );
}
