import type { Client } from 'pg';
import { type NewsListener, only, type Sql } from '../engine/database.js';
import type { Pool } from '../engine/pool.js';
import { abandonConnection } from './leaving.js';
import { sqlOn } from './query.js';

/** A channel belongs to a database. Each schema with our tables has its own. */
const CHANNEL = `'rollcall_deliveries_' || 'deliveries'::regclass::oid`;
const LISTEN_TIMEOUT_MS = 5_000;

/**
 * Until the commit is on disk, and with a synchronous standby until that has it, no other transaction of the database that
 * tells something can commit.
 */
export async function notify(sql: Sql, texts: readonly string[]): Promise<void> {
  const list = texts.map((text) => `"${text}"`).join();
  await sql.run(`SELECT pg_notify(${CHANNEL}, text) FROM unnest(?::text[]) AS told (text)`, [`{${list}}`]);
}

/** Listens on a connection of its own. */
export async function listen(
  listeners: Pool<Client>,
  { heard, lost }: NewsListener,
): Promise<{ close(): void }> {
  const connection = await listeners.acquire();
  const close = (): void => {
    abandonConnection(connection, { isRunning: false });
    void listeners.release(connection);
  };
  connection.on('notification', ({ payload = '' }) => heard(payload));
  connection.on('error', lost);
  connection.on('end', () => lost(new Error('The connection has ended')));
  try {
    const sql = sqlOn(
      () => connection,
      () => LISTEN_TIMEOUT_MS,
    );
    const { channel } = only(await sql.all<{ channel: string }>(`SELECT ${CHANNEL} AS channel`));
    await sql.run(`LISTEN ${channel}`);
    return { close };
  } catch (error) {
    close();
    throw error;
  }
}
