import pg from 'pg';
import { runOnServer } from '../postgres-client.js';
import type { PostgresServer } from '../postgres-server.js';
import { type Answer, startReceiver } from '../receiver.js';
import { until } from '../wait.js';
import { auditStored, type FaultReport, type Ledger } from './audit.js';
import { freePort, type Running, temporaryDirectory } from './process.js';
import { prepareService, type ServeOptions } from './service.js';

/** One process of several on the same database. */
export interface Instance {
  readonly url: string;
  readonly port: number;
  readonly process: Running;
}

interface InstanceOptions extends ServeOptions {
  /** The port to listen on. The default is a free one. */
  readonly port?: number;
}

export type PostgresSite = Awaited<ReturnType<typeof preparePostgresSite>>;

const TIMEOUT_MS = 60_000;
let count = 0;

/** A database on a PostgreSQL server, organizations with webhooks, their receiver, and what is needed to serve them. */
export async function preparePostgresSite({
  server,
  organizations = 1,
  answer,
}: {
  readonly server: Pick<PostgresServer, 'url'>;
  readonly organizations?: number;
  /** How the receiver responds. */
  readonly answer?: Answer;
}) {
  count += 1;
  const name = `fault_${process.pid}_${count}`;
  await runOnServer(server.url(), `CREATE DATABASE ${name} TEMPLATE template0`);
  const receiver = await startReceiver(answer === undefined ? {} : { answer });
  const directory = temporaryDirectory();
  const databaseUrl = server.url(name);
  const publicUrl = 'http://127.0.0.1:3000';
  const { killAll, spawnServe, ...service } = await prepareService({
    webhookUrls: Array.from({ length: organizations }, (_, index) => `${receiver.url}/hook-${index + 1}`),
    ...{ authority: receiver.authority, directory: directory.path, databaseUrl },
    env: { PUBLIC_URL: publicUrl },
  });

  /** Starts an instance without waiting until it listens. */
  const spawn = async ({ port: given, env, ...options }: InstanceOptions = {}): Promise<Instance> => {
    const port = given ?? (await freePort());
    const process = spawnServe({ ...options, env: { PORT: String(port), ...env } });
    return { url: `http://127.0.0.1:${port}`, port, process };
  };
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  // The server may crash.
  pool.on('error', () => undefined);
  /** Queries the database directly. */
  const rows = async <Row>(text: string): Promise<readonly Row[]> =>
    (await pool.query(text)).rows as readonly Row[];
  return {
    ...{ ...service, databaseUrl, receiver, spawn, rows },
    /** The origin of every page on all instances. */
    publicUrl,
    /** Starts an instance, and resolves when it listens. */
    async serve(options?: InstanceOptions): Promise<Instance> {
      const instance = await spawn(options);
      await instance.process.see(/"msg":"Listening"/);
      return instance;
    },
    /** The number of deliveries without an outcome. */
    async unfinished(): Promise<number> {
      const [row] = await rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM deliveries WHERE state IN ('pending', 'sending')`,
      );
      return row?.count ?? 0;
    },
    /** Compares the database with the acknowledged registrations and the received requests. */
    audit: async (ledger: Pick<Ledger, 'attempted' | 'acknowledged'>): Promise<FaultReport> =>
      auditStored(rows, { ...ledger, requests: receiver.requests }),
    /** Kills the remaining processes, and removes everything except the server. */
    async remove(): Promise<void> {
      await killAll();
      await pool.end();
      await receiver.stop();
      directory.remove();
      await runOnServer(server.url(), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => undefined);
    },
  };
}

/** Waits until every delivery has an outcome. Returns how many milliseconds that took, or null after the timeout. */
export async function untilFinal(site: PostgresSite, timeoutMs: number): Promise<number | null> {
  const startedAt = performance.now();
  const isFinal = await until(async () => (await site.unfinished()) === 0, timeoutMs);
  return isFinal ? Math.round(performance.now() - startedAt) : null;
}

/**
 * Spares a test the minute until abandoned claims are stale: when no delivery is under way any more, it makes the
 * remaining claims a minute older.
 */
export async function ageAbandonedClaims(site: PostgresSite): Promise<void> {
  if ((await untilFinal(site, 3000)) !== null) return;
  let before = -1;
  const isQuiet = await until(async () => {
    const now = site.receiver.requests.length;
    const wasSame = now === before;
    before = now;
    if (!wasSame) await new Promise((resolve) => setTimeout(resolve, 1500));
    return wasSame;
  }, TIMEOUT_MS);
  if (!isQuiet) throw new Error('deliveries do not end');
  await site.rows(
    `UPDATE deliveries SET claimed_at = claimed_at - interval '61 seconds' WHERE state = 'sending'`,
  );
}
