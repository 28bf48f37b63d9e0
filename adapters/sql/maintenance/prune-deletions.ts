import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Engine } from '../engine/database.js';

export interface PruneDeletions {
  /** Deletions of meetings at this time or earlier are no longer kept. */
  readonly until: Date;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly batchRows: number;
  readonly pauseMs: number;
}

/**
 * Deletes old tombstones of meetings, one organization after the other. Cursors that need them are refused afterwards.
 * Never waits for an import, which may hold rows for minutes. Returns the number of tombstones.
 */
export async function pruneDeletions(database: Database, request: PruneDeletions): Promise<number> {
  let count = 0;
  for (let after = 0; request.signal?.aborted !== true; ) {
    const next = await database.read.get<{ organization_id: number }>(
      `SELECT organization_id FROM meeting_tombstones WHERE organization_id > ?
      ORDER BY organization_id LIMIT 1`,
      [after],
    );
    if (next === undefined) break;
    after = next.organization_id;
    count += await pruneOrganization(database, after, request);
  }
  return count;
}

interface Place {
  readonly changed_at: string;
  readonly meeting_id: number;
}

async function pruneOrganization(
  database: Database,
  organizationId: number,
  { until, dryRun, signal, batchRows, pauseMs }: PruneDeletions,
): Promise<number> {
  let count = 0;
  let after: Place = { changed_at: beginnings[database.engine], meeting_id: 0 };
  while (signal?.aborted !== true) {
    const rows: readonly Place[] = await database.read.all<Place>(
      `SELECT changed_at, meeting_id FROM meeting_tombstones
      WHERE organization_id = ? AND (changed_at, meeting_id) > (?, ?) AND changed_at <= ?
      ORDER BY changed_at, meeting_id LIMIT ${batchRows}`,
      [organizationId, after.changed_at, after.meeting_id, until],
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    count += dryRun ? rows.length : await removeUntil(database, organizationId, last);
    after = last;
    await pause(dryRun ? 0 : pauseMs);
    if (rows.length < batchRows) break;
  }
  return count;
}

/** Before every stored time. */
const beginnings: Record<Engine, string> = { sqlite: '', postgres: '-infinity' };

/** One transaction, so that no reader sees the changes without these tombstones and believes that they are complete. */
async function removeUntil(
  { engine, write }: Database,
  organizationId: number,
  { changed_at, meeting_id }: Place,
): Promise<number> {
  const { changes } = await write(async (sql) => {
    await sql.run(
      `INSERT INTO pruned_tombstones (organization_id, changed_at) VALUES (?, ?)
      ON CONFLICT (organization_id) DO UPDATE SET changed_at = excluded.changed_at
      WHERE pruned_tombstones.changed_at < excluded.changed_at`,
      [organizationId, changed_at],
    );
    return sql.run(deleteTexts[engine], [organizationId, changed_at, meeting_id]);
  });
  return changes;
}

const isOver = 'organization_id = ? AND (changed_at, meeting_id) <= (?, ?)';

/** A tombstone that an import is changing is left to the next run. */
const deleteTexts: Record<Engine, string> = {
  sqlite: `DELETE FROM meeting_tombstones WHERE ${isOver}`,
  postgres: `DELETE FROM meeting_tombstones WHERE (meeting_id, organization_id) IN (
    SELECT meeting_id, organization_id FROM meeting_tombstones WHERE ${isOver} FOR UPDATE SKIP LOCKED
  )`,
};
