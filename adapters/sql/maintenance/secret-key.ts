import type { Database, Sql } from '../engine/database.js';
import { execute } from '../engine/statements.js';

export interface AdoptSecretKey {
  /** The id of the key to use from now on. */
  readonly current: string;
  /** The ids of all configured keys, including the current one. */
  readonly known: readonly string[];
  readonly at: Date;
}

/**
 * Records the secret key that the database is used with. Returns false when the database was used with a key that is
 * no longer known, so that the values it protects could not be read.
 */
export async function adoptSecretKey(
  { engine, read, write }: Database,
  { current, known, at }: AdoptSecretKey,
): Promise<boolean> {
  const row = await read.get<{ key_id: string }>('SELECT key_id FROM secret_key');
  if (row?.key_id === current) return true;
  return write(async (sql) => {
    // When several instances start at once, each sees the key that the previous one recorded.
    if (engine === 'postgres') await sql.run('LOCK TABLE secret_key IN EXCLUSIVE MODE');
    const stored = await sql.get<{ key_id: string }>('SELECT key_id FROM secret_key');
    if (stored !== undefined && !known.includes(stored.key_id)) return false;
    if (stored !== undefined) await recordUse(sql, { keyId: stored.key_id, at });
    await sql.run('DELETE FROM secret_key');
    await execute(sql)`INSERT INTO secret_key (key_id) VALUES (${current})`;
    return true;
  });
}

export interface SecretKeyUse {
  readonly keyId: string;
  readonly at: Date;
}

/** Records that the key is in use at this time. Never replaces a later time. */
export async function recordSecretKeyUse(
  { write }: Pick<Database, 'write'>,
  use: SecretKeyUse,
): Promise<void> {
  await write((sql) => recordUse(sql, use));
}

async function recordUse(sql: Sql, { keyId, at }: SecretKeyUse): Promise<void> {
  await execute(sql)`INSERT INTO secret_key_uses (key_id, used_at) VALUES (${keyId}, ${at})
    ON CONFLICT (key_id) DO UPDATE SET used_at = excluded.used_at
    WHERE secret_key_uses.used_at < excluded.used_at`;
}
