import { createHash } from 'node:crypto';
import type { Clock, Limit, Limits } from '@rollcall/core';
import type { Database, Sql } from '../engine/database.js';
import { execute, select, selectOne } from '../engine/statements.js';

/** How long an instance trusts its last answer from the database about a subject. */
const TRUSTED_MS = 1000;
const MAX_TRUSTED = 1000;
/** Subjects that are refused without asking the database. A flood costs one statement per second for each of them. */
const MAX_REFUSED = 10_000;

/**
 * Counts failures for all instances that share one PostgreSQL. A window begins with its first failure. For a subject
 * without failures, and for one with none left, an instance may learn up to a second late what another one counted.
 */
export function sqlLimits(database: Database, clock: Pick<Clock, 'now'>): Limits {
  const { read } = database;
  const write = <T>(work: (sql: Sql) => Promise<T>): Promise<T> => database.write(work, { isMinor: true });
  const trusted = expiringCache<true>(MAX_TRUSTED);
  /** Subjects that have no failure left, with the end of their window. */
  const refused = expiringCache<Date>(MAX_REFUSED);

  const forget = (key: string): void => {
    trusted.forget(key);
    refused.forget(key);
  };

  /** Reads the count and returns the seconds to wait, or 0. Remembers a subject without failures or with none left. */
  async function readWait(limit: Limit, subject: string, now: Date): Promise<number> {
    const counted = await selectOne<{ failures: number; ends_at: string }>(read)`
      SELECT failures, ends_at FROM failure_counts
      WHERE counter = ${counterOf(limit, subject)} AND ends_at > ${now}`;
    const key = nameOf(limit, subject);
    forget(key);
    if (counted === undefined) trusted.set(key, true);
    else if (counted.failures >= limit.points) return refuse(key, new Date(counted.ends_at), now);
    return 0;
  }

  function refuse(key: string, endsAt: Date, now: Date): number {
    refused.set(key, endsAt);
    return secondsUntil(endsAt, now);
  }

  return {
    async waitFor(limit, subject) {
      const key = nameOf(limit, subject);
      if (limit.points === 0 || trusted.get(key) !== null) return 0;
      const now = clock.now();
      const endsAt = refused.get(key);
      return endsAt !== null && endsAt > now ? secondsUntil(endsAt, now) : readWait(limit, subject, now);
    },

    async consume(limit, subject) {
      if (limit.points === 0) return 0;
      const key = nameOf(limit, subject);
      const now = clock.now();
      const endsAt = refused.get(key);
      if (endsAt !== null && endsAt > now) return secondsUntil(endsAt, now);
      // A subject that was just refused is probably still refused. Reading first avoids a lock.
      const wait = refused.has(key) ? await readWait(limit, subject, now) : 0;
      if (wait > 0) return wait;

      trusted.forget(key);
      const counter = counterOf(limit, subject);
      const counted = await write(
        (sql) =>
          select(sql)`INSERT INTO failure_counts AS counts (counter, failures, ends_at)
          VALUES (${counter}, 1, ${new Date(now.getTime() + limit.seconds * 1000)})
          ON CONFLICT (counter) DO UPDATE SET
            failures = CASE WHEN counts.ends_at > ${now} THEN counts.failures + 1 ELSE 1 END,
            ends_at = CASE WHEN counts.ends_at > ${now} THEN counts.ends_at ELSE excluded.ends_at END
          WHERE counts.ends_at <= ${now} OR counts.failures < ${limit.points}
          RETURNING failures`,
      );
      if (counted.length > 0) return 0;
      // Another caller took the last one.
      return Math.max(await readWait(limit, subject, now), 1);
    },

    async forgive(limit, subject) {
      if (limit.points === 0) return;
      forget(nameOf(limit, subject));
      // A new window has nothing to take back: future failures are not forgiven in advance.
      await write(
        (sql) =>
          execute(sql)`UPDATE failure_counts SET failures = failures - 1
          WHERE counter = ${counterOf(limit, subject)} AND ends_at > ${clock.now()} AND failures > 0`,
      );
      forget(nameOf(limit, subject));
    },

    async clear(limit, subject) {
      if (limit.points === 0) return;
      await write(
        (sql) => execute(sql)`DELETE FROM failure_counts WHERE counter = ${counterOf(limit, subject)}`,
      );
      forget(nameOf(limit, subject));
    },
  };
}

/** Keeps the newest values for a short time, on this instance. */
function expiringCache<Value>(size: number) {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    set(key: string, value: Value): void {
      const [oldest] = entries.keys();
      if (entries.size >= size && oldest !== undefined) entries.delete(oldest);
      entries.set(key, { value, until: performance.now() + TRUSTED_MS });
    },
    /** Null when there is no value or it has expired. */
    get(key: string): Value | null {
      const found = entries.get(key);
      return found !== undefined && found.until > performance.now() ? found.value : null;
    },
    /** Whether there is a value, even an expired one. */
    has: (key: string): boolean => entries.has(key),
    forget(key: string): void {
      entries.delete(key);
    },
  };
}

function nameOf({ name, points, seconds }: Limit, subject: string): string {
  return `${name}/${points}/${seconds}/${subject}`;
}

function secondsUntil(endsAt: Date, now: Date): number {
  return Math.max(Math.ceil((endsAt.getTime() - now.getTime()) / 1000), 1);
}

/** The primary key of the counter. Its length does not depend on the subject. Each limit has its own counters. */
export function counterOf(limit: Limit, subject: string): string {
  return createHash('sha256').update(nameOf(limit, subject)).digest('base64url');
}
