import { Unavailable } from '@rollcall/core';
import { type DatabaseOptions, type Snapshot, type SnapshotRequest, sqlWithin } from '../engine/database.js';
import type { Pool } from '../engine/pool.js';
import { type Connection, statement } from './connection.js';
import { sqlOn } from './query.js';
import { sqlAside } from './read-aside.js';
import type { AsideReader } from './reader-thread-client.js';
import { rollBack } from './transaction.js';

interface SnapshotOptions extends Pick<Required<DatabaseOptions>, 'timeoutMs' | 'stallTimeoutMs'> {
  readonly aside: AsideReader;
}

/** Opens a snapshot on a connection of the pool. Another thread reads a heavy one. */
export async function openSnapshot(
  pool: Pool<Connection>,
  { timeoutMs, stallTimeoutMs, aside }: SnapshotOptions,
  { organizationId = 0, isHeavy = false }: SnapshotRequest,
): Promise<Snapshot> {
  // When another thread reads, this connection only counts as one of the exports.
  const connection = await pool.acquire();
  const snapshot = isHeavy ? aside.newSnapshot() : null;
  let isReleased = false;
  const release = async () => {
    if (isReleased) return;
    isReleased = true;
    clearTimeout(stall);
    if (snapshot !== null) aside.endSnapshot(snapshot);
    rollBack(connection);
    await pool.release(connection);
  };
  const stall = setTimeout(release, stallTimeoutMs).unref();
  const use = () => {
    if (isReleased) throw new Unavailable('The snapshot was released.');
    stall.refresh();
    if (snapshot === null && !connection.inTransaction) statement(connection, 'BEGIN').run();
    return connection;
  };
  if (snapshot === null) return { ...sqlOn(use, timeoutMs), release };
  const sql = sqlAside(aside, { of: organizationId, timeoutMs, snapshot });
  const inUse = sqlWithin(async (step) => {
    use();
    const answer = await step(sql);
    use();
    return answer;
  });
  return { ...inUse, release };
}
