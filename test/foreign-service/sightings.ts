import type { MeetingChange, Meetings } from '@rollcall/core';
import type { Database } from './database.js';
import type { SittingRow } from './sitting-row.js';
import { sittingRow } from './sittings-export.js';

/**
 * The changes of sittings as each company sees them. A round is one load, and its number, in milliseconds since 1970, is
 * the time of its changes.
 */
interface SightingRow {
  readonly sitting: number;
  readonly moved: number;
  readonly gone: number;
}

/** The state in which each company sees each sitting, by both. */
type Sightings = ReadonlyMap<string, SightedRow>;

interface SightedRow {
  readonly company: number;
  readonly sitting: number;
  readonly changed: number;
}

export function nextRound(database: Database): number {
  return database.one<{ readonly number: number }>('UPDATE rounds SET number = number + 1 RETURNING number')
    .number;
}

export function sightedBy(database: Database): Sightings {
  const rows = database.all<SightedRow>(
    `SELECT company, id AS sitting, changed FROM sittings WHERE company IS NOT NULL
    UNION ALL
    SELECT guests.company, sittings.id, sittings.changed FROM sittings JOIN guests ON guests.sitting = sittings.id
    JOIN companies ON companies.id = guests.company AND companies.wellness
    WHERE sittings.company IS NULL`,
  );
  return new Map(rows.map((row) => [`${row.company}/${row.sitting}`, row]));
}

export function noteSightings(database: Database, before: Sightings, round: number): void {
  const after = sightedBy(database);
  for (const [key, { company, sitting }] of new Map([...before, ...after])) {
    const [was, is] = [before.get(key), after.get(key)];
    if (was !== undefined && is !== undefined && was.changed === is.changed) continue;
    database.run(
      'INSERT OR REPLACE INTO sightings (company, sitting, moved, gone) VALUES (?, ?, ?, ?)',
      ...[company, sitting, round, Number(is === undefined)],
    );
  }
}

/** Keeps the sightings of every sitting that is gone. */
export function readSightings(database: Database): Meetings['changes'] {
  return async ({ organizationId, after, limit, columns }) =>
    database.snapshot(() => {
      const { number: round } = database.one<{ readonly number: number }>('SELECT number FROM rounds');
      if (after !== null && Math.max(after.changedAt.getTime(), after.since.getTime()) > round) return null;
      const rows = database.all<SightingRow>(
        `SELECT sitting, moved, gone FROM sightings WHERE company = ? AND (moved, sitting) > (?, ?)
        ORDER BY moved, sitting LIMIT ?`,
        ...[organizationId, after?.changedAt.getTime() ?? 0, after?.meetingId ?? 0, limit + 1],
      );
      const changes = rows.slice(0, limit).map(({ sitting, moved, gone }): MeetingChange => {
        const changedAt = new Date(moved);
        if (gone === 1) return { id: sitting, changedAt, row: null };
        const row = database.one<SittingRow>('SELECT * FROM sittings WHERE id = ?', sitting);
        return { id: sitting, changedAt, row: sittingRow(row, columns) };
      });
      const hasMore = rows.length > limit;
      const last = changes.at(-1);
      const latest = new Date(round);
      const next =
        last === undefined || !hasMore
          ? { changedAt: latest, meetingId: Number.MAX_SAFE_INTEGER, since: latest }
          : { changedAt: last.changedAt, meetingId: last.id, since: after?.since ?? latest };
      return { changes, hasMore, next };
    });
}
