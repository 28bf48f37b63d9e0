import { type DatabaseActivity, only, type Sql } from '../engine/database.js';

/**
 * Sessions of other users count only if this user may see them: as a member of `pg_read_all_stats`. The own statement
 * does not count.
 */
const OLDEST = `
  WITH sessions AS (
    SELECT xact_start AS began_at, backend_xmin AS snapshot
    FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND datname = current_database()
    UNION ALL
    SELECT prepared, transaction FROM pg_prepared_xacts WHERE database = current_database()
  ), snapshots AS (
    SELECT snapshot FROM sessions
    UNION ALL
    SELECT backend_xmin FROM pg_stat_activity WHERE backend_type = 'walsender'
    UNION ALL
    SELECT xmin FROM pg_replication_slots
  )
  SELECT
    (SELECT extract(epoch FROM clock_timestamp() - min(began_at))::float8 FROM sessions) AS transaction_seconds,
    (SELECT extract(epoch FROM clock_timestamp() - min(began_at))::float8 FROM sessions
      WHERE snapshot IS NOT NULL) AS snapshot_seconds,
    (SELECT max(age(snapshot)) FROM snapshots WHERE snapshot IS NOT NULL) AS snapshot_transactions`;

type ActivityRow = Readonly<
  Record<'transaction_seconds' | 'snapshot_seconds' | 'snapshot_transactions', number | null>
>;

/** The oldest transaction and snapshot of all clients of this database, and of the replicas that hold one here. */
export async function readActivity(read: Sql): Promise<DatabaseActivity> {
  const row = only(await read.all<ActivityRow>(OLDEST));
  return {
    oldestTransactionSeconds: Math.max(0, row.transaction_seconds ?? 0),
    oldestSnapshotSeconds: Math.max(0, row.snapshot_seconds ?? 0),
    oldestSnapshotTransactions: row.snapshot_transactions ?? 0,
  };
}
