import { Unavailable } from '@rollcall/core';
import type { Knex } from 'knex';
import pg, { type Client } from 'pg';
import {
  type Database,
  type DatabaseOptions,
  MAX_WAITING_EXPORTS,
  only,
  type PostgresPool,
  type Sql,
  sqlWithin,
  type WriteProblem,
} from '../engine/database.js';
import { withinBudget } from '../engine/deadline.js';
import { createExportTurns } from '../engine/export-turns.js';
import { openSnapshots } from '../engine/open-snapshots.js';
import { organizationSlots } from '../engine/organization-slots.js';
import { createPool, type Driver, type Pool, withPool } from '../engine/pool.js';
import { transactionHandle } from '../engine/transaction-handle.js';
import { pendingIn, recordsOn } from '../migrations/records.js';
import { readActivity } from './activity.js';
import { COMMAND_NAME, withBulk } from './bulk.js';
import { findServer, type Server } from './connect.js';
import { asUnavailable, isAnswer, translateError } from './errors.js';
import { PostgresKnexClient } from './knex-client.js';
import { isHanging, leaveConnection, type Peer } from './leaving.js';
import { HAS_TABLE, migratePostgres } from './migrate.js';
import { postgresNews } from './news.js';
import { guard, sqlOn, timeoutUntil, withinTime } from './query.js';
import { codeOf } from './refusals.js';
import { watchReplica } from './replica.js';
import { BEGIN, type Role, SERVICE_NAME, sessionSettings, setUpSession } from './session.js';
import { openSnapshot } from './snapshot.js';
import { inTransaction } from './transaction.js';
import { standbyWatch } from './unconfirmed-commits.js';
import { missingRights } from './usability.js';

const MAX_CONNECTIONS = 10;
/** Long reads of one organization at the same time: it leaves connections, and cores of the database, to the others. */
const MAX_LONG_READS = 2;
/** Long reads of one organization that may wait. */
const MAX_WAITING_LONG_READS = 100;
/** Exports that read at the same time. While the rows of one are encoded, those of the other arrive. */
const MAX_READING_EXPORTS = 2;
const SET_UP_TIMEOUT_MS = 4_000;
const MAX_CREATE_MS = 86_400_000;
/** One holds the lock for migrating, one works, one finds out which process is in the way. */
const MIGRATION_CONNECTIONS = 3;
/** The primary takes over from a replica that has not answered in this time. */
const REPLICA_TIMEOUT_MS = 1_000;

/** Does not change the schema. Throws `Unavailable` when the server can't be reached or refuses. */
export async function openPostgres(
  at: string | PostgresPool,
  { replica: replicaOptions, ...input }: DatabaseOptions,
  { isReplica = false } = {},
): Promise<Database> {
  const options = { exports: 8, timeoutMs: 5_000, stallTimeoutMs: 60_000, ...input };
  const { timeoutMs } = options;
  const server = await findServer(at, {
    timeoutMs,
    schema: input.schema,
    name: input.serves === false ? COMMAND_NAME : SERVICE_NAME,
  });
  const peer: Peer = { settings: server.settings, isReplica, leaving: new Map() };
  const pool = (role: Role, max: number, maxWaiting = Number.POSITIVE_INFINITY) =>
    createPool(driver(server, { role, peer }), {
      max,
      timeoutMs,
      maxWaiting,
      keepsReleased: role === 'ordinary',
    });
  const ordinary = pool('ordinary', MAX_CONNECTIONS);
  const exporters = pool('exporter', options.exports, MAX_WAITING_EXPORTS);
  const listeners = pool('listener', 1);
  const news = postgresNews(listeners, server);
  const snapshots = openSnapshots(timeoutMs);
  const reading = createExportTurns(MAX_READING_EXPORTS);
  const read = readOn(ordinary, server);
  const replica =
    replicaOptions &&
    (await watchReplica({
      ...replicaOptions,
      primary: read,
      connect: () =>
        openPostgres(replicaOptions.url, { ...options, timeoutMs: REPLICA_TIMEOUT_MS }, { isReplica: true }),
    }));
  const pendingMigrations = () => pendingIn(recordsOn(read, HAS_TABLE));
  const standby = standbyWatch(() => writeOn(ordinary, (sql) => sql.run(ANY_COMMIT)));

  return {
    engine: 'postgres',
    ...(replica && { replica }),
    read,
    readAside: input.serves === false ? () => read : readInTurns(read, timeoutMs),
    write: (work, { isMinor = false } = {}) =>
      isMinor ? writeOn(ordinary, work, MINOR) : standby.run(() => writeOn(ordinary, work)),
    writeProblem: async () =>
      standby.isAway()
        ? 'waiting for a synchronous standby'
        : only(await read.all<{ problem: WriteProblem | null }>(IS_READ_ONLY)).problem,
    snapshot: (request = {}) =>
      snapshots.add(
        request,
        async () => (await replica?.snapshot()) ?? (await openSnapshot(exporters, { ...options, reading })),
      ),
    bulk: (work) =>
      withPool(pool('loader', 1), (loaders) => loaders.lend((connection) => withBulk(connection, work))),
    migrate: async (options) =>
      (await pendingMigrations()).length === 0
        ? []
        : withPool(pool('loader', MIGRATION_CONNECTIONS), (loaders) => loaders.migrate(options)),
    pendingMigrations,
    missingRights: () => missingRights((text) => read.all(text)),
    news,
    poolStates: () => [ordinary.state('ordinary'), exporters.state('exporter'), listeners.state('listener')],
    activity: () => readActivity(read),
    refusedSnapshots: () => snapshots.refused(),

    async close() {
      standby.close();
      await snapshots.release();
      await replica?.close();
      await Promise.all([ordinary.close(), exporters.close(), news.close()]);
    },
  };
}

/** Runs each statement on any connection. Through a pooler, each needs a transaction for the session's settings. */
function readOn(pool: Pool<Client>, server: Server): Sql {
  return sqlWithin((step) =>
    pool.lend((connection, deadline) => {
      const timeout = timeoutUntil(deadline);
      const sql = sqlOn(() => connection, timeout);
      if (!server.isPooled) return step(sql);
      return inTransaction(connection, { begin: BEGIN, timeout }, () => step(sql));
    }),
  );
}

/** Lets only a few statements of each organization run at a time. */
function readInTurns(read: Sql, timeoutMs: number): Database['readAside'] {
  const takeSlot = organizationSlots({
    slots: MAX_LONG_READS,
    maxWaiting: MAX_WAITING_LONG_READS,
    refuse: () => new Unavailable('Too many requests of the organization wait for the database.'),
  });
  return (organizationId) =>
    sqlWithin(async (step) => {
      const release = await withinBudget(timeoutMs, (deadline) =>
        takeSlot(organizationId, deadline - performance.now()),
      );
      try {
        return await step(read);
      } finally {
        release();
      }
    });
}

const IS_READ_ONLY = `SELECT CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean
  THEN 'read-only' END AS problem`;
/** Something that a COMMIT has to confirm, though nothing is stored. A transaction id alone is not. */
const ANY_COMMIT = "SELECT pg_logical_emit_message(true, 'rollcall', '')";
const MINOR = 'SET LOCAL synchronous_commit = local';

/** Runs `work` in one transaction, with these settings. */
function writeOn<T>(pool: Pool<Client>, work: (sql: Sql) => Promise<T>, settings: string | null = null) {
  return pool.lend(async (connection, deadline) => {
    const timeout = timeoutUntil(deadline);
    const handle = transactionHandle(connection);
    try {
      return await inTransaction(
        connection,
        { begin: settings === null ? BEGIN : `${BEGIN}; ${settings}`, timeout },
        () => work(sqlOn(handle.use, timeout)),
      );
    } finally {
      handle.end();
    }
  });
}

function driver(
  { settings, isPooled, version }: Server,
  { role, peer }: { readonly role: Role; readonly peer: Peer },
): Driver<Client> {
  const session = { role, serverVersion: version };
  const login = new pg.Client(settings);
  return {
    engine: 'postgres',
    knex: {
      client: PostgresKnexClient,
      connection: async () => ({ ...settings, peer }) as Knex.PgConnectionConfig,
      // A connection that hangs keeps its place until it is gone.
      pool: { idleTimeoutMillis: 30_000, createTimeoutMillis: MAX_CREATE_MS },
    },
    async setUp(connection) {
      try {
        await guard(connection, () =>
          withinTime(connection, SET_UP_TIMEOUT_MS, () => setUpSession(connection, { ...session, isPooled })),
        );
      } catch (error) {
        await leaveConnection(connection);
        throw error;
      }
    },
    async obtain(take) {
      try {
        return await take();
      } catch (error) {
        throw isHanging(peer) && !isAnswer(error)
          ? asUnavailable(new Error('timeout expired', { cause: error }))
          : asUnavailable(error, login);
      }
    },
    isFull: (error) => error instanceof Unavailable && codeOf(error.cause) === '53300',
    leave: leaveConnection,
    forget() {
      for (const { forget } of peer.leaving.values()) forget();
    },
    migrate: (knex, options) =>
      migratePostgres({
        ...options,
        ...{ knex, isPooled },
        settings: isPooled
          ? `SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ${sessionSettings(session, 'SET LOCAL')}`
          : 'SELECT 1',
      }),
    translateError: (error) => translateError(error, login),
  };
}
