import assert from 'node:assert/strict';
import { type Database, openDatabase, type ReplicaState } from '#adapters/sql/index.js';
import { type PostgresServer, startPostgresServer } from './postgres-server.js';
import { eventually } from './wait.js';

export const MAX_LAG_MS = 1_500;
export const IS_REPLICA = 'SELECT pg_is_in_recovery() AS replica';

/** A primary server with a replica, and a database that exports from the replica. */
export interface ReplicatedPostgres {
  readonly primary: PostgresServer;
  readonly replica: PostgresServer;
  readonly database: Database;
  /** The states of the replica that the database has reported, oldest first. */
  readonly changes: readonly ReplicaState[];
  /** Runs a statement on the replica itself. */
  onReplica(statement: string): Promise<void>;
  /** Waits until the query returns a row on the replica. */
  waitForRow(query: string): Promise<void>;
  isServedByReplica(): Promise<boolean>;
  waitUntilReplicaServes(): Promise<void>;
  waitUntilPrimaryServes(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const primary = await startPostgresServer();
  try {
    return await replicate(primary);
  } catch (error) {
    await primary.remove();
    throw error;
  }
}

async function replicate(primary: PostgresServer): Promise<ReplicatedPostgres> {
  const direct = await openDatabase(primary.url());
  await direct.write((sql) => sql.run('CREATE TABLE things (id bigint PRIMARY KEY)'));
  await direct.migrate();
  await direct.close();
  const replica = await primary.startReplica();
  const changes: ReplicaState[] = [];
  const database = await openDatabase(primary.url(), {
    replica: { url: replica.url(), maxLagMs: MAX_LAG_MS, onChange: (state) => changes.push(state) },
  });

  async function isServedByReplica(): Promise<boolean> {
    const startedAt = performance.now();
    const snapshot = await database.snapshot();
    assert.ok(performance.now() - startedAt < 2_000);
    try {
      return (await snapshot.get<{ readonly replica: boolean }>(IS_REPLICA))?.replica === true;
    } finally {
      await snapshot.release();
    }
  }

  return {
    ...{ primary, replica, database, changes },
    async onReplica(statement) {
      const direct = await openDatabase(replica.url());
      await direct.read.all(statement).finally(() => direct.close());
    },
    async waitForRow(query) {
      const direct = await openDatabase(replica.url());
      try {
        await eventually(async () => (await direct.read.get(query)) !== undefined, query);
      } finally {
        await direct.close();
      }
    },
    isServedByReplica,
    waitUntilReplicaServes: () => eventually(isServedByReplica, 'the replica does not serve'),
    waitUntilPrimaryServes: () => eventually(async () => !(await isServedByReplica()), 'the replica serves'),
    async stop() {
      await database.close();
      await replica.remove();
      await primary.remove();
    },
  };
}
