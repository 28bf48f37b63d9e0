import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Core } from '@rollcall/core';
import pg from 'pg';
import type { CommandContext } from '#app/command-context.js';
import type { PostgresServer } from '../postgres-server.js';
import { type Answer, type Receiver, startReceiver } from '../receiver.js';
import { until } from '../wait.js';
import { auditStored, type FaultReport, type Ledger, type StoredDelivery } from './audit.js';
import { freePort, linesOf, type Running, start, startProgram, temporaryDirectory } from './process.js';
import type { InstanceVariables } from './registering-program.js';
import { createOrganizations, embedding, type FaultOrganization } from './service.js';

/** One process of several on the same database. */
export interface Instance {
  readonly url: string;
  readonly port: number;
  readonly process: Running;
}

export interface InstanceOptions {
  /** The port to listen on. The default is a free one. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The people that the instance registers while it serves. Without it, the instance is a plain `rollcall serve`. */
  readonly registering?: Pick<
    InstanceVariables,
    'INSTANCE_PREFIX' | 'INSTANCE_PEOPLE' | 'INSTANCE_AT_ONCE' | 'INSTANCE_PAUSE'
  >;
}

/** A database on a PostgreSQL server, organizations with webhooks, their receiver, and what is needed to serve them. */
export interface PostgresSite {
  readonly databaseUrl: string;
  /** The origin of every page on all instances. */
  readonly publicUrl: string;
  readonly organizations: readonly FaultOrganization[];
  readonly receiver: Receiver;
  /** Runs short work with another core over the database, like another process, and closes it. */
  embedded<Result>(work: (core: Core, context: CommandContext) => Promise<Result>): Promise<Result>;
  /** Starts an instance without waiting until it listens. */
  spawn(options?: InstanceOptions): Promise<Instance>;
  /** Starts an instance, and resolves when it listens. */
  serve(options?: InstanceOptions): Promise<Instance>;
  /** Queries the database directly. */
  rows<Row>(text: string): Promise<readonly Row[]>;
  /** The number of deliveries without an outcome. */
  unfinished(): Promise<number>;
  /** Compares the database with the acknowledged registrations and the received requests. */
  audit(ledger: Pick<Ledger, 'attempted' | 'acknowledged'>): Promise<FaultReport>;
  /** Kills the remaining processes, and removes everything except the server. */
  remove(): Promise<void>;
}

const TIMEOUT_MS = 60_000;
/** In the bundle, where it starts in half the time. */
const instanceProgram = fileURLToPath(import.meta.resolve('#app/bundle/registering-program.js'));
let count = 0;

export async function preparePostgresSite({
  server,
  organizations = 1,
  answer,
}: {
  readonly server: Pick<PostgresServer, 'url'>;
  readonly organizations?: number;
  /** How the receiver responds. */
  readonly answer?: Answer;
}): Promise<PostgresSite> {
  count += 1;
  const name = `fault_${process.pid}_${count}`;
  await rowsOf(server.url(), `CREATE DATABASE ${name} TEMPLATE template0`);
  const receiver = await startReceiver(answer === undefined ? {} : { answer });
  const directory = temporaryDirectory();
  const caFile = join(directory.path, 'ca.pem');
  writeFileSync(caFile, receiver.authority);
  const databaseUrl = server.url(name);
  const publicUrl = 'http://127.0.0.1:3000';
  const env = {
    PUBLIC_URL: publicUrl,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'the secret key of the fault tests, 32+ characters',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    WEBHOOK_CA_FILE: caFile,
  };
  const embedded = embedding(env);
  const urls = Array.from({ length: organizations }, (_, index) => `${receiver.url}/hook-${index + 1}`);
  const created = await embedded((core) => createOrganizations(core, urls));

  const running = new Set<Running>();
  const spawn = async (options: InstanceOptions = {}): Promise<Instance> => {
    const port = options.port ?? (await freePort());
    const given = { cwd: directory.path, env: { ...env, PORT: String(port), ...options.env } };
    const { registering } = options;
    const process = registering === undefined ? start(['serve'], given) : register(given, registering);
    running.add(process);
    void process.ended.then(() => running.delete(process));
    return { url: `http://127.0.0.1:${port}`, port, process };
  };
  const register = (
    given: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
    registering: NonNullable<InstanceOptions['registering']>,
  ): Running =>
    startProgram([globalThis.process.execPath, instanceProgram], {
      ...given,
      env: {
        ...given.env,
        ...registering,
        INSTANCE_ORGANIZATIONS: created.map(({ id }) => id).join(),
      },
    });
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  // The server may crash.
  pool.on('error', () => undefined);
  const rows = async <Row>(text: string): Promise<readonly Row[]> =>
    (await pool.query(text)).rows as readonly Row[];
  return {
    databaseUrl,
    publicUrl,
    organizations: created,
    receiver,
    embedded,
    spawn,
    async serve(options) {
      const instance = await spawn(options);
      await instance.process.see(/"msg":"Listening"/);
      return instance;
    },
    rows,
    async unfinished() {
      const [row] = await rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM deliveries WHERE state IN ('pending', 'sending')`,
      );
      return row?.count ?? 0;
    },
    audit: async (ledger) => auditStored(await stored(rows), { ...ledger, requests: receiver.requests }),
    async remove() {
      await Promise.all([...running].map((one) => one.stop('SIGKILL')));
      await pool.end();
      await receiver.stop();
      directory.remove();
      await rowsOf(server.url(), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => undefined);
    },
  };
}

/** Runs a query on a new connection, and closes it. */
export async function rowsOf<Row>(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as readonly Row[];
  } finally {
    await client.end();
  }
}

async function stored(rows: PostgresSite['rows']) {
  const deliveries = await rows<StoredDelivery>(
    `SELECT event_id AS "eventId", state, body, body::json #>> '{user,email}' AS email,
      (SELECT coalesce(json_agg(CASE outcome WHEN 'failed' THEN 'failed: ' || reason ELSE outcome END ORDER BY number), '[]') FROM attempts WHERE delivery_id = deliveries.id)
        AS attempts
    FROM deliveries`,
  );
  const members = await rows<{ email: string }>(
    'SELECT email FROM memberships JOIN users ON users.id = user_id',
  );
  const halfInvitations = await rows<{ id: string }>(
    `SELECT invitations.id::text AS id FROM invitations
      LEFT JOIN users ON users.email = invitations.email
      LEFT JOIN memberships ON memberships.user_id = users.id
        AND memberships.organization_id = invitations.organization_id
    WHERE (accepted_at IS NULL) <> (memberships.user_id IS NULL)`,
  );
  return {
    deliveries,
    members: members.map(({ email }) => email),
    halfInvitations: halfInvitations.map(({ id }) => id),
    integrity: [],
  };
}

/** The people whom the processes tried to register, and those whose registration was acknowledged. */
export function registrations(processes: readonly Running[]): {
  readonly attempted: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
} {
  const lines = processes.flatMap(({ stdout }) => linesOf(stdout()));
  const marked = (mark: string) =>
    new Set(lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length)));
  return { attempted: marked('? '), acknowledged: marked('+ ') };
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
