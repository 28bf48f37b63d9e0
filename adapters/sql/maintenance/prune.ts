import { answerLifetimeMs, sessionLifetimeMs } from '@rollcall/core/rules';
import type { Database } from '../engine/database.js';
import { allOf, inLists, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { countOf, execute, select } from '../engine/statements.js';
import { revokeExpired } from '../stores/invitations.js';
import { forgetPrevious } from '../stores/organizations.js';
import { BATCH_ROWS, type Pruning, pruneBatches } from './prune-batches.js';
import { pruneDeletions } from './prune-deletions.js';
import { pruneEvents } from './prune-events.js';

export interface Prune {
  readonly now: Date;
  /** How many days a finished delivery is kept, with its body and its attempts. */
  readonly deliveryRetentionDays: number;
  /** How many days an event is kept in its organization's feed. */
  readonly eventRetentionDays: number;
  /** Only counts the rows that would be deleted. */
  readonly dryRun?: boolean;
  /** Stops between two batches. */
  readonly signal?: AbortSignal;
}

/** The numbers of deleted rows. */
export interface Pruned {
  /** Sessions that began longer ago than a session can last. Those that were idle until they expired are deleted then. */
  readonly sessions: number;
  /** Links that are redeemed or expired, and older than a day. */
  readonly loginLinks: number;
  /** Deliveries that finished longer ago than they are kept. */
  readonly deliveries: number;
  /** Events that are older than they are kept. */
  readonly events: number;
  /** Deletions of meetings that partners have had 30 days to read. */
  readonly deletions: number;
  /** Entries of the audit trail that are older than a year. */
  readonly auditEntries: number;
  /** Invitations that were accepted or revoked more than a year ago. */
  readonly invitations: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_MS = 365 * DAY_MS;
const DELETION_RETENTION_DAYS = 30;

/**
 * Deletes expired rows in small transactions, so that others can read and write meanwhile. Finds them without reading the
 * rows that stay, however many there are.
 */
export async function prune(database: Database, request: Prune): Promise<Pruned> {
  const { now, deliveryRetentionDays, eventRetentionDays, dryRun = false, signal } = request;
  const run: Pruning = { database, dryRun, signal };
  const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
  const byTime = (table: string, key: string, time: string, until: Date): Promise<number> =>
    pruneByTime(run, { table, key, time, until });
  if (database.engine === 'postgres') await byTime('failure_counts', 'counter', 'ends_at', now);
  // A link to set a new password works for minutes. A mail is given up after three days, if the service sends mail.
  await byTime('password_resets', 'hash', 'created_at', ago(DAY_MS));
  await byTime('mails', 'id', 'created_at', ago(7 * DAY_MS));
  // These are not repeated any more. They are not counted: they expire one day after the call.
  await byTime('idempotency_keys', 'begun_at', 'begun_at', ago(answerLifetimeMs + 1));
  if (!dryRun) {
    for (const statement of uncounted(now, ago)) await database.write((sql) => execute(sql)(statement));
    await revokeExpired(database, { at: now });
  }
  return {
    sessions: await byTime('sessions', 'hash', 'opened_at', ago(sessionLifetimeMs)),
    // A link works for minutes, so that every link of a day ago has expired.
    loginLinks: await byTime('login_links', 'hash', 'created_at', ago(DAY_MS)),
    deliveries: await pruneOldest(run, {
      ...{ table: 'deliveries', time: 'created_at', end: 'finished_at' },
      until: ago(deliveryRetentionDays * DAY_MS),
    }),
    events: await pruneEvents(run, ago(eventRetentionDays * DAY_MS)),
    deletions: await pruneDeletions(run, ago(DELETION_RETENTION_DAYS * DAY_MS)),
    auditEntries: await pruneOldest(run, {
      ...{ table: 'audit_entries', time: 'at', end: 'at', until: ago(YEAR_MS) },
    }),
    // As in the index `ended_invitations`.
    invitations: await byTime('invitations', 'id', 'coalesce(accepted_at, revoked_at)', ago(YEAR_MS)),
  };
}

/** How long imports stay in the log. */
const IMPORTS_KEPT_DAYS = 90;

/** Statements for rows that are few. They are not counted. */
const uncounted = (now: Date, ago: (milliseconds: number) => Date): readonly SqlText[] => [
  // Signing secrets and access keys that were replaced and whose use ended a day ago.
  SQL`UPDATE webhooks SET previous_sealed_secret = NULL, previous_secret_until = NULL
    WHERE previous_secret_until <= ${ago(DAY_MS)}`,
  SQL`UPDATE organizations SET ${forgetPrevious} WHERE previous_key_until <= ${ago(DAY_MS)}`,
  // An organization has one at most.
  SQL`DELETE FROM setup_links WHERE expires_at <= ${now}`,
  // The last one stays longer.
  SQL`DELETE FROM imports
    WHERE ended_at < ${ago(IMPORTS_KEPT_DAYS * DAY_MS)} AND id < (SELECT max(id) FROM imports)`,
];

interface Expired {
  readonly table: string;
  readonly time: string;
  readonly until: Date;
}

type TimeRow = Readonly<Record<'key' | 'time', string>>;

/** Deletes the rows whose time, which has an index, is not after `until`, in its order. Returns their number. */
async function pruneByTime(run: Pruning, { table, key, time, until }: Expired & { readonly key: string }) {
  const { read } = run.database;
  const at = raw(time);
  const isExpired = SQL`${at} <= ${until}`;
  if (run.dryRun) return countOf(read)`FROM ${raw(table)} WHERE ${isExpired}`;
  return pruneBatches<TimeRow>(run, {
    // Beginning at the last time passes over the rows that are deleted already, which PostgreSQL keeps for a while.
    read: (last) =>
      select<TimeRow>(read)`SELECT ${raw(key)} AS key, ${at} AS time FROM ${raw(table)}
        WHERE ${allOf(isExpired, last !== null && SQL`${at} >= ${new Date(last.time)}`)}
        ORDER BY ${at} LIMIT ${raw(BATCH_ROWS)}`,
    remove: (rows) => remove(run.database, { table, key, keys: rows.map((row) => row.key), isExpired }),
  });
}

interface OldRow {
  readonly id: number;
  readonly is_old: number | boolean;
  readonly is_over: number | boolean | null;
}

/**
 * Deletes expired rows from the first id on, and stops where all rows of a batch were stored after `until`: later rows
 * are newer. Rows out of order are found by a later run. `time`: when the row was stored, which the ids roughly follow.
 * `end`: when it ended, not before `time`, and null if it has not; rows that ended until `until` expire. Returns the
 * number of deleted rows.
 */
function pruneOldest(run: Pruning, { table, time, end, until }: Expired & { readonly end: string }) {
  const isExpired = SQL`${raw(end)} <= ${until}`;
  return pruneBatches<OldRow>(run, {
    read: (last) =>
      select<OldRow>(run.database.read)`SELECT id, ${raw(time)} <= ${until} AS is_old, ${isExpired} AS is_over
        FROM ${raw(table)} WHERE id > ${last?.id ?? 0} ORDER BY id LIMIT ${raw(BATCH_ROWS)}`,
    expiredIn: (rows) => rows.filter((row) => row.is_over),
    isLast: (rows) => !rows.some((row) => row.is_old),
    // A delivery may be redelivered meanwhile, and is then kept.
    remove: (rows) => remove(run.database, { table, key: 'id', keys: rows.map(({ id }) => id), isExpired }),
  });
}

interface Removal {
  readonly table: string;
  readonly key: string;
  readonly keys: readonly (string | number)[];
  /** Checked again for each row. */
  readonly isExpired: SqlText;
}

async function remove({ write }: Database, { table, key, keys, isExpired }: Removal): Promise<number> {
  return write(async (sql) => {
    let count = 0;
    for (const list of inLists(keys)) {
      const { changes } = await execute(sql)`DELETE FROM ${raw(table)}
        WHERE ${raw(key)} IN (${list}) AND ${isExpired}`;
      count += changes;
    }
    return count;
  });
}
