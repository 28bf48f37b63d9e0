import { type Engine, type EngineSql, lock } from '../engine/database.js';
import { advisoryLocks } from '../postgres/advisory-locks.js';

/**
 * From here to the end of the transaction, no other one changes meetings: two imports at the same time could wait for each
 * other's rows.
 */
export async function lockMeetings(sql: EngineSql): Promise<void> {
  await lock(sql, `SELECT pg_advisory_xact_lock(${advisoryLocks.meetings}, 0)`);
}

/**
 * The time of the changes of a transaction that has called `lockMeetings`: the current time of the database's clock, but
 * always later than that of the transaction before, even if the clock was set back. So changes are committed in the
 * order of their times. Otherwise a reader could have passed the time of a change before it is committed.
 */
export async function nextChangeTime(sql: EngineSql): Promise<Date> {
  const row = await sql.get<{ last_at: string | null; now: string | null }>(clockTexts[sql.engine]);
  const now = row?.now == null ? Date.now() : Date.parse(row.now);
  const earliest = row?.last_at == null ? now : Date.parse(row.last_at) + 1;
  const time = new Date(Math.max(now, earliest));
  await sql.run(
    `INSERT INTO meeting_clock (id, last_at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET last_at = excluded.last_at`,
    [time],
  );
  return time;
}

const clockTexts: Record<Engine, string> = {
  sqlite: 'SELECT (SELECT last_at FROM meeting_clock) AS last_at, NULL AS now',
  postgres: `SELECT (SELECT last_at FROM meeting_clock) AS last_at,
    date_trunc('milliseconds', clock_timestamp()) AS now`,
};
