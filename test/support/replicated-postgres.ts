import assert from 'node:assert/strict';
import { openDatabase, type ReplicaState } from '#adapters/sql/index.js';
import { type PostgresServer, startPostgresServer } from './postgres-server.js';
import { eventually } from './wait.js';

export const MAX_LAG_MS = 1_500;
export const IS_REPLICA = 'SELECT pg_is_in_recovery() AS replica';

export type ReplicatedPostgres = Awaited<ReturnType<typeof replicate>>;

/** A primary server with a replica, and a database that exports from the replica. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const primary = await startPostgresServer();
  try {
    return await replicate(primary);
  } catch (error) {
    await primary.remove();
    throw error;
  }
}

async function replicate(primary: PostgresServer) {
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
    ...{ primary, replica, database, isServedByReplica },
    /** The states of the replica that the database has reported, oldest first. */
    changes: changes as readonly ReplicaState[],
    /** Runs a statement on the replica itself. */
    async onReplica(statement: string): Promise<void> {
      const direct = await openDatabase(replica.url());
      await direct.read.all(statement).finally(() => direct.close());
    },
    /** Waits until the query returns a row on the replica. */
    async waitForRow(query: string): Promise<void> {
      const direct = await openDatabase(replica.url());
      try {
        await eventually(async () => (await direct.read.get(query)) !== undefined, query);
      } finally {
        await direct.close();
      }
    },
    waitUntilReplicaServes: () => eventually(isServedByReplica, 'the replica does not serve'),
    waitUntilPrimaryServes: () => eventually(async () => !(await isServedByReplica()), 'the replica serves'),
    async stop(): Promise<void> {
      await database.close();
      await replica.remove();
      await primary.remove();
    },
  };
}
