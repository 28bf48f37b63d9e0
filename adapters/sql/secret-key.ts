import type { Database } from './database.js';

export interface AdoptSecretKey {
  /** The id of the key that is used from now on. */
  readonly current: string;
  /** The ids of all keys that still read what they made, the current one among them. */
  readonly known: readonly string[];
}

/**
 * Notes which secret key the database is used with; false when it was used with one that is not known any
 * more, so that nothing it protects could be read.
 */
export async function adoptSecretKey(
  { engine, read, write }: Database,
  { current, known }: AdoptSecretKey,
): Promise<boolean> {
  const row = await read.get<{ key_id: string }>('SELECT key_id FROM secret_key');
  if (row?.key_id === current) return true;
  return write(async (sql) => {
    // Of several instances that start at once each sees what the one before it noted.
    if (engine === 'postgres') await sql.run('LOCK TABLE secret_key IN EXCLUSIVE MODE');
    const stored = await sql.get<{ key_id: string }>('SELECT key_id FROM secret_key');
    if (stored !== undefined && !known.includes(stored.key_id)) return false;
    await sql.run('DELETE FROM secret_key');
    await sql.run('INSERT INTO secret_key (key_id) VALUES (?)', [current]);
    return true;
  });
}
