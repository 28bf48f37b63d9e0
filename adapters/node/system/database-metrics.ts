import type { Gauge } from 'prom-client';
import type { Meters } from './meters.js';

/** The state of the outbox when metrics are read. */
export interface MeasuredBacklog {
  readonly pending: number;
  readonly sending: number;
  readonly held: number;
  readonly failed: number;
  readonly oldestPending: Date | null;
}

export interface MeasuredPool {
  readonly role: string;
  readonly used: number;
  readonly free: number;
  readonly waiting: number;
}

/** The numbers of stored records that one secret key is needed for. */
export interface MeasuredKey {
  readonly keyId: string;
  readonly role: string;
  readonly stored: Readonly<Record<string, number>>;
  /** When the last token of this key expires; null: not known. */
  readonly tokensUntil: Date | null;
}

/** The oldest open transaction and snapshot; null: the database cannot tell. */
export interface MeasuredActivity {
  readonly oldestTransactionSeconds: number | null;
  readonly oldestSnapshotSeconds: number;
  readonly oldestSnapshotTransactions: number | null;
}

/** An import in the log. */
export interface MeasuredImport {
  readonly id: number;
  readonly source: string;
  readonly result: string;
  /** The number of its records, which may grow. */
  readonly records: number;
}

/** The mails that wait to be sent. */
export interface MeasuredMails {
  readonly count: number;
  /** When the oldest was added; null: none waits. */
  readonly oldest: Date | null;
}

export interface DatabaseMetricsOptions {
  /** Rejects, or never resolves, while the database cannot be reached. */
  readonly backlog: () => Promise<MeasuredBacklog>;
  /** May reject, as `backlog` may. */
  readonly activity?: () => Promise<MeasuredActivity>;
  /** The latest imports of all processes. May reject, as `backlog` may. */
  readonly recentImports?: () => Promise<readonly MeasuredImport[]>;
  /** May reject, as `backlog` may. */
  readonly waitingMails?: () => Promise<MeasuredMails>;
  /** The organizations whose client secret for sign-on expires within 30 days, or has. May reject, as `backlog` may. */
  readonly expiringSignOns?: () => Promise<number>;
  /** Why nothing can be written now; null: it can. Asked at every scrape. May reject, as `backlog` may. */
  readonly writeProblem?: () => Promise<string | null>;
  readonly pools: () => readonly MeasuredPool[];
  /** The number of exports that were refused since the start because their organization had too many. */
  readonly refusedExports?: () => number;
  /** Whether notifications of other processes arrive. Left out: not measured. */
  readonly hears?: () => boolean;
  /** The minimum time for which an answer of the database is used again: 5 s by default. 0: every scrape asks. */
  readonly minFreshMs?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface KeyMetricsOptions {
  /** May reject, as `backlog` may. */
  readonly secretKeys?: () => Promise<readonly MeasuredKey[]>;
}

/** The maximum time for which a request for metrics waits for the database. */
const DATABASE_DEADLINE_MS = 2_000;
/** The minimum time for which an answer of the database is used again. */
const MIN_FRESH_MS = 5_000;
/** A slow query (because of an old snapshot, for example) takes at most a twentieth of the time. */
const FRESH_SHARE = 20;

interface Measured {
  readonly backlog: MeasuredBacklog;
  readonly activity: MeasuredActivity;
  readonly imports: readonly MeasuredImport[];
  readonly mails: MeasuredMails;
  readonly expiring: number;
}

const noActivity: MeasuredActivity = {
  oldestTransactionSeconds: null,
  oldestSnapshotSeconds: 0,
  oldestSnapshotTransactions: null,
};

/** Queries the database when metrics are read: one query at a time, and none while the last result is fresh. */
export function databaseMetrics(
  meters: Meters,
  {
    backlog,
    activity = async () => noActivity,
    recentImports = async () => [],
    waitingMails = async () => ({ count: 0, oldest: null }),
    expiringSignOns = async () => 0,
    writeProblem = async () => null,
    minFreshMs = MIN_FRESH_MS,
    now,
  }: Omit<DatabaseMetricsOptions, 'pools'>,
): () => Promise<void> {
  const { gauge } = meters;
  const setActivity = activityMetrics(meters);
  const countImports = importMetrics(meters);
  const up = gauge('rollcall_database_up');
  const writable = gauge('rollcall_database_writable');
  const deliveries = gauge('rollcall_outbox_deliveries', ['state']);
  const age = gauge('rollcall_outbox_oldest_pending_age_seconds');
  const mails = gauge('rollcall_mails_waiting');
  const mailAge = gauge('rollcall_mails_oldest_waiting_age_seconds');
  const expiring = gauge('rollcall_sign_on_secrets_expiring');
  const ageOf = (time: Date | null): number =>
    time === null ? 0 : Math.max(0, now() - time.getTime()) / 1000;
  let running: Promise<Measured | null> | null = null;
  let last = { at: Number.NEGATIVE_INFINITY, durationMs: 0, found: null as Measured | null };

  let asking: Promise<boolean> | null = null;

  async function canWrite(): Promise<boolean> {
    const problem = await writeProblem().catch(() => 'away');
    asking = null;
    return problem === null;
  }

  async function query(): Promise<Measured | null> {
    const start = performance.now();
    const found = await measure().catch(() => null);
    const at = performance.now();
    last = { at, durationMs: found === null ? 0 : at - start, found };
    running = null;
    return found;
  }

  async function measure(): Promise<Measured> {
    const counted = { backlog: await backlog(), mails: await waitingMails() };
    const expiring = await expiringSignOns();
    const found = { ...counted, expiring, activity: await activity(), imports: await recentImports() };
    countImports(found.imports);
    return found;
  }

  return async () => {
    const freshMs = minFreshMs === 0 ? 0 : Math.max(minFreshMs, FRESH_SHARE * last.durationMs);
    const isFresh = running === null && performance.now() - last.at < freshMs;
    if (!isFresh) running ??= query();
    asking ??= canWrite();
    const [found, isWritable] = await Promise.all([
      isFresh ? last.found : within(DATABASE_DEADLINE_MS, running),
      within(DATABASE_DEADLINE_MS, asking),
    ]);
    up.set(found === null ? 0 : 1);
    writable.set(isWritable === true ? 1 : 0);
    deliveries.reset();
    for (const gauge of [age, mails, mailAge, expiring]) gauge.remove();
    setActivity(found?.activity ?? null);
    if (found === null) return;
    const { oldestPending, ...counts } = found.backlog;
    for (const state of ['pending', 'sending', 'held', 'failed'] as const)
      deliveries.set({ state }, counts[state]);
    age.set(ageOf(oldestPending));
    expiring.set(found.expiring);
    mails.set(found.mails.count);
    mailAge.set(ageOf(found.mails.oldest));
  };
}

/** The oldest transaction and snapshot, for as long as the database tells them. */
function activityMetrics({ gauge }: Meters): (activity: MeasuredActivity | null) => void {
  const transaction = gauge('rollcall_database_oldest_transaction_age_seconds');
  const snapshot = gauge('rollcall_database_oldest_snapshot_age_seconds');
  const transactions = gauge('rollcall_database_oldest_snapshot_age_transactions');
  const set = (age: Gauge<never>, value: number | null | undefined): void => {
    if (value === null || value === undefined) age.remove();
    else age.set(value);
  };
  const setAll = (activity: MeasuredActivity | null): void => {
    set(transaction, activity?.oldestTransactionSeconds);
    set(snapshot, activity?.oldestSnapshotSeconds);
    set(transactions, activity?.oldestSnapshotTransactions);
  };
  setAll(null);
  return setAll;
}

/** Imports of every process are in the log, so this process counts the entries that are new to it. */
function importMetrics({ counter }: Meters): (imports: readonly MeasuredImport[]) => void {
  const runs = counter('rollcall_imports_total', ['source', 'result']);
  const records = counter('rollcall_import_records_total', ['source', 'result']);
  for (const source of ['command-line', 'operator'])
    for (const result of ['imported', 'refused', 'failed'])
      for (const counter of [runs, records]) counter.inc({ source, result }, 0);
  /** The records of each import that have been counted. Null before the first look: older imports do not count. */
  let counted: ReadonlyMap<number, number> | null = null;
  return (imports) => {
    for (const { id, source, result, records: read } of imports) {
      const before = counted === null ? read : counted.get(id);
      if (before === undefined) runs.inc({ source, result });
      records.inc({ source, result }, Math.max(0, read - (before ?? 0)));
    }
    counted = new Map(imports.map(({ id, records }) => [id, records]));
  };
}

/** The minimum time between two counts of the data that needs each key, because a count reads all stored data. */
const KEYS_FRESH_MS = 5 * 60_000;

/** The numbers of records that still need each secret key; absent until the first count. */
export function keyMetrics(
  { gauge }: Meters,
  { secretKeys = async () => [] }: KeyMetricsOptions,
): () => Promise<void> {
  const needed = gauge('rollcall_secret_key_needed', ['key', 'role', 'kind']);
  const until = gauge('rollcall_secret_key_tokens_until_timestamp_seconds', ['key']);
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | null = null;

  async function count(): Promise<void> {
    try {
      const keys = await secretKeys();
      countedAt = performance.now();
      needed.reset();
      until.reset();
      for (const { keyId, role, stored, tokensUntil } of keys) {
        for (const [kind, number] of Object.entries(stored)) needed.set({ key: keyId, role, kind }, number);
        if (tokensUntil !== null) until.set({ key: keyId }, tokensUntil.getTime() / 1000);
      }
    } catch {
      // The next request for metrics tries again.
    } finally {
      counting = null;
    }
  }

  return async () => {
    if (performance.now() - countedAt < KEYS_FRESH_MS) return;
    counting ??= count();
    await within(DATABASE_DEADLINE_MS, counting);
  };
}

/** Returns the answer, or null if it takes longer than this. */
async function within<T>(milliseconds: number, answer: Promise<T> | null): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

export function hearingMetric({ gauge }: Meters, hears: DatabaseMetricsOptions['hears']): void {
  if (hears === undefined) return;
  gauge('rollcall_database_listening', [], (listening) => listening.set(hears() ? 1 : 0));
}

export function poolMetrics({ gauge }: Meters, pools: DatabaseMetricsOptions['pools']): void {
  gauge('rollcall_database_connections', ['role', 'state'], (connections) => {
    for (const { role, used, free } of pools()) {
      connections.set({ role, state: 'used' }, used);
      connections.set({ role, state: 'free' }, free);
    }
  });
  gauge('rollcall_database_waiting_requests', ['role'], (requests) => {
    for (const { role, waiting } of pools()) requests.set({ role }, waiting);
  });
}
