import type { Client } from 'pg';
import { type News, type NewsListener, only, type Sql } from '../engine/database.js';
import type { Pool } from '../engine/pool.js';
import { abandonConnection } from './leaving.js';
import { sqlOn } from './query.js';

/** A channel belongs to a database. Each schema with our tables has its own. */
const CHANNEL = `'rollcall_deliveries_' || 'deliveries'::regclass::oid`;
const LISTEN_TIMEOUT_MS = 5_000;

/** Each listener has a connection of its own. A pooler passes on what is told, but nobody can listen through it. */
export function postgresNews(
  listeners: Pool<Client>,
  { isPooled }: { readonly isPooled: boolean },
): News & { close(): Promise<void> } {
  const listening = new Set<() => void>();
  return {
    tell: notify,
    tellCommitted() {},

    async listen(listener) {
      if (isPooled) throw new Error('A pooler does not pass notifications on');
      const connection = await listeners.acquire();
      const close = (): void => {
        if (!listening.delete(close)) return;
        abandonConnection(connection, { isRunning: false });
        void listeners.release(connection);
      };
      listening.add(close);
      try {
        await listenOn(connection, listener);
        return { close };
      } catch (error) {
        close();
        throw error;
      }
    },

    async close() {
      for (const close of listening) close();
      await listeners.close();
    },
  };
}

/**
 * Until the commit is on disk (and on a synchronous standby, if there is one), no other transaction of the database that
 * tells something can commit.
 */
async function notify(sql: Sql, texts: readonly string[]): Promise<void> {
  const list = texts.map((text) => `"${text}"`).join();
  await sql.run(`SELECT pg_notify(${CHANNEL}, text) FROM unnest(?::text[]) AS told (text)`, [`{${list}}`]);
}

async function listenOn(connection: Client, { heard, lost }: NewsListener): Promise<void> {
  connection.on('notification', ({ payload = '' }) => heard(payload));
  connection.on('error', lost);
  connection.on('end', () => lost(new Error('The connection has ended')));
  const sql = sqlOn(
    () => connection,
    () => LISTEN_TIMEOUT_MS,
  );
  const { channel } = only(await sql.all<{ channel: string }>(`SELECT ${CHANNEL} AS channel`));
  await sql.run(`LISTEN ${channel}`);
}
