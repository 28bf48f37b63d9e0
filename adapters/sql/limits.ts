import { createHash } from 'node:crypto';
import type { Clock, Limit, Limits } from '@rollcall/core';
import type { Database } from './database.js';

interface Counted {
  readonly failures: number;
  readonly ends_at: string;
}

/** Milliseconds for which a subject without failures is not asked about again (decision 101). */
const TRUSTED = 1000;
const MOST_TRUSTED = 1000;

/**
 * Counts failures for all instances of one PostgreSQL. A window begins with its first failure. Of whoever had none
 * a moment ago, `waitFor` learns late what another instance has counted since.
 */
export function sqlLimits({ read, write }: Database, clock: Pick<Clock, 'now'>): Limits {
  const trusted = new Map<string, number>();
  const trust = (who: string): void => {
    const [oldest] = trusted.keys();
    if (trusted.size >= MOST_TRUSTED && oldest !== undefined) trusted.delete(oldest);
    trusted.set(who, performance.now() + TRUSTED);
  };
  return {
    async waitFor(limit, subject) {
      const who = `${limit.name}/${subject}`;
      if (limit.points === 0 || (trusted.get(who) ?? 0) > performance.now()) return 0;
      const now = clock.now();
      const counted = await read.get<Counted>(
        'SELECT failures, ends_at FROM failure_counts WHERE counter = ? AND ends_at > ?',
        [counterOf(limit, subject), now],
      );
      trusted.delete(who);
      if (counted !== undefined) return waitAfter(limit, counted, now);
      trust(who);
      return 0;
    },

    async fail(limit, subject) {
      if (limit.points === 0) return 0;
      trusted.delete(`${limit.name}/${subject}`);
      const now = clock.now();
      const end = new Date(now.getTime() + limit.seconds * 1000);
      const [counted] = await write((sql) =>
        sql.all<Counted>(
          `INSERT INTO failure_counts AS counts (counter, failures, ends_at) VALUES (?, 1, ?)
          ON CONFLICT (counter) DO UPDATE SET
            failures = CASE WHEN counts.ends_at > ? THEN least(counts.failures, 1000000000) + 1 ELSE 1 END,
            ends_at = CASE WHEN counts.ends_at > ? THEN counts.ends_at ELSE excluded.ends_at END
          RETURNING failures, ends_at`,
          [counterOf(limit, subject), end, now, now],
        ),
      );
      return counted === undefined ? 0 : waitAfter(limit, counted, now);
    },

    async forgive(limit, subject) {
      if (limit.points === 0) return;
      // In a new window there is nothing to take back: a failure to come is not forgiven beforehand.
      await write((sql) =>
        sql.run(
          'UPDATE failure_counts SET failures = failures - 1 WHERE counter = ? AND ends_at > ? AND failures > 0',
          [counterOf(limit, subject), clock.now()],
        ),
      );
    },
  };
}

function waitAfter({ points }: Limit, { failures, ends_at }: Counted, now: Date): number {
  if (failures <= points) return 0;
  return Math.max(Math.ceil((new Date(ends_at).getTime() - now.getTime()) / 1000), 1);
}

/** Of one length, however long the subject that somebody made up; another limit counts anew. */
function counterOf({ name, points, seconds }: Limit, subject: string): string {
  return createHash('sha256').update(`${name}/${points}/${seconds}/${subject}`).digest('base64url');
}
