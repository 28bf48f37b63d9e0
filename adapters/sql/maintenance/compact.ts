import { setTimeout as pause } from 'node:timers/promises';
import type { Bulk, Database } from '../engine/database.js';
import { isPostgresInTransaction } from '../postgres/errors.js';

/** Why erased data may still be in the files of the database. */
export type NotCompacted =
  /** Another process has read or written for too long. */
  | 'busy'
  /** A pooler lends connections for single transactions, and VACUUM runs in none. */
  | 'pooled';

const MAX_CHECKPOINTS = 50;
const CHECKPOINT_PAUSE_MS = 200;

/** Their indexes hold addresses, UUIDs and hashes. */
const SMALL_TABLES = [
  'users',
  'memberships',
  'invitations',
  'login_links',
  'setup_links',
  'sessions',
  'mails',
  'calendar_feeds',
  'directory_people',
  'directory_requests',
  'identities',
  'platform_numbers',
  'idempotency_keys',
  'failure_counts',
];
const LARGE_TABLES = [
  'audit_entries',
  'events',
  'deliveries',
  'attempts',
  'registrations',
  'waitlist_entries',
  'meetings',
];

/**
 * Removes what deleted rows have left in the files. On SQLite, the file is written again and the log beside it emptied, so
 * that nothing is left; meanwhile others can read and must wait to write. On PostgreSQL, the tables that hold personal data
 * are vacuumed, and nobody waits. Null: done.
 */
export async function compact(database: Database): Promise<NotCompacted | null> {
  return database.bulk((bulk) => (bulk.engine === 'sqlite' ? compactFile(bulk) : vacuum(bulk)));
}

async function compactFile(bulk: Bulk): Promise<NotCompacted | null> {
  // Moving rows between pages leaves copies, also of rows that are deleted securely later. Only VACUUM removes these.
  await bulk.run('VACUUM');
  for (let count = 1; ; count += 1) {
    const row = await bulk.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
    if (row?.busy === 0) return null;
    if (count === MAX_CHECKPOINTS) return 'busy';
    await pause(CHECKPOINT_PAUSE_MS);
  }
}

async function vacuum(bulk: Bulk): Promise<NotCompacted | null> {
  try {
    await bulk.run(`VACUUM (INDEX_CLEANUP ON) ${SMALL_TABLES.join(', ')}`);
    await bulk.run(`VACUUM ${LARGE_TABLES.join(', ')}`);
    return null;
  } catch (error) {
    if (isPostgresInTransaction(error)) return 'pooled';
    throw error;
  }
}
