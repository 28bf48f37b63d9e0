import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { eventName } from '#core/testing/subscribe.js';
import { startPostgresUrl } from './postgres.js';
import { clientAt, withClient } from './postgres-client.js';

export type ServedDatabase = Awaited<ReturnType<typeof startServedDatabase>>;

const QUERY_TIMEOUT_MS = 300_000;

/** A migrated PostgreSQL database with deliveries. */
export async function startServedDatabase(deliveries = 0) {
  const { url, stop } = await startPostgresUrl({ migrated: true });
  const clients: pg.Client[] = [];
  const connect = async (): Promise<pg.Client> => {
    const client = clientAt(url, QUERY_TIMEOUT_MS);
    await client.connect();
    clients.push(client);
    return client;
  };
  await fill(await connect(), deliveries);
  return {
    url,
    connect,
    async stop(): Promise<void> {
      for (const client of clients) await client.end().catch(() => undefined);
      await stop();
    },
  };
}

const ORGANIZATIONS = 50;
const ROWS_PER_INSERT = 50_000;

async function fill(client: pg.Client, deliveries: number): Promise<void> {
  await client.query(
    `INSERT INTO organizations (id, name, eap) SELECT n, 'Organization', n % 2 = 0 FROM generate_series(1, $1) AS n`,
    [ORGANIZATIONS],
  );
  for (let done = 0; done < deliveries; done += ROWS_PER_INSERT) {
    await client.query(
      `INSERT INTO deliveries (organization_id, event_id, event_name, body, state, created_at, finished_at)
      SELECT 1 + n % $1, gen_random_uuid(), '${eventName}', repeat('x', 200),
        CASE WHEN n % 7 = 0 THEN 'failed' ELSE 'delivered' END,
        now() - n * interval '1 second', now() - n * interval '1 second'
      FROM generate_series($2::int, $3::int) AS n`,
      [ORGANIZATIONS, done + 1, Math.min(done + ROWS_PER_INSERT, deliveries)],
    );
  }
  await client.query('ANALYZE');
}

export interface Written {
  readonly writes: number;
  readonly maxWaitMs: number;
  readonly failed: readonly string[];
}

/** Keeps storing deliveries without the columns of a later migration, about one per millisecond, until `end`. */
export function writeDeliveries(client: pg.Client): { end(): Promise<Written> } {
  let isStopped = false;
  const failed: string[] = [];
  let [writes, maxWaitMs] = [0, 0];
  const writing = (async () => {
    while (!isStopped) {
      const startedAt = performance.now();
      await client
        .query(
          `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
          VALUES (1, gen_random_uuid(), '${eventName}', '{}', now())`,
        )
        .catch((error: unknown) => failed.push(String(error)));
      maxWaitMs = Math.max(maxWaitMs, performance.now() - startedAt);
      writes += 1;
      await pause(1);
    }
  })();
  return {
    async end() {
      isStopped = true;
      await writing;
      return { writes, maxWaitMs: Math.round(maxWaitMs), failed };
    },
  };
}

/** Reads the table and keeps the transaction open, like a dump or a report, until it is released. */
export async function holdReadLock(client: pg.Client, table: string): Promise<{ release(): Promise<void> }> {
  await client.query(`BEGIN; SELECT 1 FROM ${table} LIMIT 1`);
  return {
    async release() {
      await client.query('COMMIT');
    },
  };
}

const catalogTexts = [
  `SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default, is_identity
  FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
  `SELECT conrelid::regclass::text AS "on", conname, pg_get_constraintdef(oid) AS definition, convalidated
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2, 3`,
  `SELECT indexdef, indisvalid, indisready FROM pg_indexes JOIN pg_index ON indexrelid = indexname::regclass
  WHERE schemaname = 'public' ORDER BY indexdef`,
  `SELECT pg_get_triggerdef(oid) AS definition, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`,
  `SELECT proname, pg_get_functiondef(oid) AS definition FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
];

/** The schema of the database in its catalogs. Equal schemas have equal results. */
export function catalogOf(url: string): Promise<readonly unknown[]> {
  return withClient(url, async (client) => {
    const parts: unknown[] = [];
    for (const text of catalogTexts) parts.push((await client.query(text)).rows);
    return parts;
  });
}
