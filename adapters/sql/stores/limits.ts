import { createHash } from 'node:crypto';
import type { Clock, Limit, Limits } from '@rollcall/core';
import type { Database } from '../engine/database.js';

interface Counted {
  readonly failures: number;
  readonly ends_at: string;
}

/** How long an answer of the database about a subject is trusted (decision 101). */
const BELIEVED_MS = 1000;
const MAX_TRUSTED = 1000;
/** Subjects that are refused without a statement each time: a flood costs a statement per second for each of them. */
const MAX_REFUSED = 10_000;

/**
 * Counts failures for all instances of one PostgreSQL. A window begins with its first failure. For a subject
 * without failures, and for one with none left, an instance may learn up to a second late what another one counted.
 */
export function sqlLimits({ read, write }: Database, clock: Pick<Clock, 'now'>): Limits {
  const trusted = briefMemory<true>(MAX_TRUSTED);
  /** Subjects that have no failure left, with the end of their window. */
  const refused = briefMemory<Date>(MAX_REFUSED);

  const forget = (who: string): void => {
    trusted.forget(who);
    refused.forget(who);
  };

  /** What is counted for the subject; it is remembered where that is nothing, or all that is allowed. */
  async function look(limit: Limit, subject: string, now: Date): Promise<number> {
    const counted = await read.get<Counted>(
      'SELECT failures, ends_at FROM failure_counts WHERE counter = ? AND ends_at > ?',
      [counterOf(limit, subject), now],
    );
    const who = nameOf(limit, subject);
    forget(who);
    if (counted === undefined) trusted.keep(who, true);
    else if (counted.failures >= limit.points) return refuse(who, new Date(counted.ends_at), now);
    return 0;
  }

  function refuse(who: string, endsAt: Date, now: Date): number {
    refused.keep(who, endsAt);
    return secondsUntil(endsAt, now);
  }

  return {
    async waitFor(limit, subject) {
      const who = nameOf(limit, subject);
      if (limit.points === 0 || trusted.recall(who) !== null) return 0;
      const now = clock.now();
      const endsAt = refused.recall(who);
      return endsAt !== null && endsAt > now ? secondsUntil(endsAt, now) : look(limit, subject, now);
    },

    async fail(limit, subject) {
      if (limit.points === 0) return 0;
      const who = nameOf(limit, subject);
      const now = clock.now();
      const endsAt = refused.recall(who);
      if (endsAt !== null && endsAt > now) return secondsUntil(endsAt, now);
      // A subject that was just refused mostly still is: reading locks no row.
      const wait = refused.knew(who) ? await look(limit, subject, now) : 0;
      if (wait > 0) return wait;

      trusted.forget(who);
      const counter = counterOf(limit, subject);
      const counted = await write((sql) =>
        sql.all(
          `INSERT INTO failure_counts AS counts (counter, failures, ends_at) VALUES (?, 1, ?)
          ON CONFLICT (counter) DO UPDATE SET
            failures = CASE WHEN counts.ends_at > ? THEN counts.failures + 1 ELSE 1 END,
            ends_at = CASE WHEN counts.ends_at > ? THEN counts.ends_at ELSE excluded.ends_at END
          WHERE counts.ends_at <= ? OR counts.failures < ?
          RETURNING failures`,
          [counter, new Date(now.getTime() + limit.seconds * 1000), now, now, now, limit.points],
        ),
      );
      if (counted.length > 0) return 0;
      // Another caller took the last one.
      return Math.max(await look(limit, subject, now), 1);
    },

    async forgive(limit, subject) {
      if (limit.points === 0) return;
      forget(nameOf(limit, subject));
      // In a new window there is nothing to take back: a failure to come is not forgiven beforehand.
      await write((sql) =>
        sql.run(
          'UPDATE failure_counts SET failures = failures - 1 WHERE counter = ? AND ends_at > ? AND failures > 0',
          [counterOf(limit, subject), clock.now()],
        ),
      );
      forget(nameOf(limit, subject));
    },
  };
}

/** Keeps the newest values for a short time, on this instance. */
function briefMemory<Value>(size: number) {
  const kept = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    keep(who: string, value: Value): void {
      const [oldest] = kept.keys();
      if (kept.size >= size && oldest !== undefined) kept.delete(oldest);
      kept.set(who, { value, until: performance.now() + BELIEVED_MS });
    },
    /** Null: it was not kept, or too long ago. */
    recall(who: string): Value | null {
      const found = kept.get(who);
      return found !== undefined && found.until > performance.now() ? found.value : null;
    },
    /** Whether it was kept, however long ago. */
    knew: (who: string): boolean => kept.has(who),
    forget(who: string): void {
      kept.delete(who);
    },
  };
}

function nameOf({ name, points, seconds }: Limit, subject: string): string {
  return `${name}/${points}/${seconds}/${subject}`;
}

function secondsUntil(endsAt: Date, now: Date): number {
  return Math.max(Math.ceil((endsAt.getTime() - now.getTime()) / 1000), 1);
}

/** The counter's key. It has one length, however long the subject is; each limit has its own counters. */
function counterOf(limit: Limit, subject: string): string {
  return createHash('sha256').update(nameOf(limit, subject)).digest('base64url');
}
