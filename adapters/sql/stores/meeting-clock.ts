import type { Engine, EngineSql, Sql } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { execute, lock } from '../engine/statements.js';
import { advisoryLocks } from '../postgres/advisory-locks.js';

/**
 * From here to the end of the transaction, no other one changes meetings: two imports at the same time could wait for each
 * other's rows.
 */
export async function lockMeetings(sql: EngineSql): Promise<void> {
  await lock(sql)`SELECT pg_advisory_xact_lock(${raw(advisoryLocks.meetings)}, 0)`;
}

interface Clock {
  readonly last_at: string | null;
  readonly cuts: string | null;
  /** That of the change before. */
  readonly timeline: string | null;
  /** Null: not known. */
  readonly timeline_now: string | null;
  /** On PostgreSQL. */
  readonly now: string | null;
}

/**
 * The time of the changes of a transaction that has called `lockMeetings`: the current time of the database's clock, but
 * always later than that of the transaction before, even if the clock was set back. So changes are committed in the
 * order of their times. Otherwise a reader could have passed the time of a change before it is committed.
 *
 * A promoted standby may lack the last changes. Later ones could have the same times, so the first one remembers where
 * it began.
 */
export async function nextChangeTime(sql: EngineSql): Promise<Date> {
  if (sql.engine === 'postgres') await sql.run(FIND_TIMELINE);
  const clock = await sql.get<Clock>(clockTexts[sql.engine]);
  const now = clock?.now == null ? Date.now() : Date.parse(clock.now);
  const earliest = clock?.last_at == null ? now : Date.parse(clock.last_at) + 1;
  const time = new Date(Math.max(now, earliest));
  const timeline = clock?.timeline_now || null;
  const isCut = clock?.timeline != null && timeline !== null && timeline !== clock.timeline;
  const cuts = isCut ? withCut(clock) : null;
  await execute(sql)`INSERT INTO meeting_clock (id, last_at, timeline, cuts)
    VALUES (1, ${time}, ${timeline}, ${cuts}) ON CONFLICT (id) DO UPDATE
    SET last_at = excluded.last_at, timeline = excluded.timeline, cuts = coalesce(excluded.cuts,
      meeting_clock.cuts)`;
  return time;
}

/** The history goes on from a state that others may have left behind: what they have read since then is not part of it. */
export async function cutHistory(sql: Sql): Promise<void> {
  const clock = await sql.get<Pick<Clock, 'last_at' | 'cuts'>>('SELECT last_at, cuts FROM meeting_clock');
  if (clock !== undefined) await execute(sql)`UPDATE meeting_clock SET cuts = ${withCut(clock)}`;
}

/** The times that `cuts` holds. */
export function cutsIn(cuts: string | null): readonly Date[] {
  return (JSON.parse(cuts ?? '[]') as string[]).map((time) => new Date(time));
}

function withCut({ last_at, cuts }: Pick<Clock, 'last_at' | 'cuts'>): string {
  return JSON.stringify([...cutsIn(cuts), new Date(last_at ?? 0)]);
}

/** Each promotion and each recovery to a point in time changes it. A server that is only like PostgreSQL may lack the functions. */
export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)';

const FIND_TIMELINE = `DO $$ BEGIN
    PERFORM set_config('rollcall.timeline', ${TIMELINE}, true);
  EXCEPTION WHEN OTHERS THEN
    PERFORM set_config('rollcall.timeline', '', true);
  END $$`;

const clockTexts: Record<Engine, string> = {
  sqlite: `SELECT last_at, cuts, NULL AS timeline, NULL AS timeline_now, NULL AS now FROM meeting_clock`,
  postgres: `SELECT last_at, cuts, timeline, current_setting('rollcall.timeline') AS timeline_now,
      date_trunc('milliseconds', clock_timestamp()) AS now
    FROM (SELECT 1) AS one LEFT JOIN meeting_clock ON true`,
};
