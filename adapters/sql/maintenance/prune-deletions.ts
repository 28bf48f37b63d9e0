import { type Database, timeEdges } from '../engine/database.js';
import { BATCH_ROWS, byOrganization, type Pruning, pruneBatches } from './prune-batches.js';

/**
 * Deletes the tombstones of meetings until this time, one organization after the other. Cursors that need them are refused
 * afterwards. Never waits for an import, which may hold rows for minutes. Returns the number of tombstones.
 */
export async function pruneDeletions(run: Pruning, until: Date): Promise<number> {
  const { database } = run;
  let count = 0;
  const from = { columns: 'organization_id', from: 'meeting_tombstones WHERE true' };
  for await (const { organization_id: organizationId } of byOrganization(run, from))
    count += await pruneBatches<Place>(run, {
      read: (after) =>
        database.read.all(
          `SELECT changed_at, meeting_id FROM meeting_tombstones
          WHERE organization_id = ? AND (changed_at, meeting_id) > (?, ?) AND changed_at <= ?
          ORDER BY changed_at, meeting_id LIMIT ${BATCH_ROWS}`,
          [
            organizationId,
            after?.changed_at ?? timeEdges[database.engine].before,
            after?.meeting_id ?? 0,
            until,
          ],
        ),
      remove: (_, last) => removeUntil(database, organizationId, last),
    });
  return count;
}

interface Place {
  readonly changed_at: string;
  readonly meeting_id: number;
}

/** One transaction, so that no reader sees the changes without these tombstones and believes that they are complete. */
async function removeUntil(
  { write }: Database,
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
    // A tombstone that an import is changing is left to the next run.
    return sql.run(
      `DELETE FROM meeting_tombstones WHERE (meeting_id, organization_id) IN (
        SELECT meeting_id, organization_id FROM meeting_tombstones
        WHERE organization_id = ? AND (changed_at, meeting_id) <= (?, ?) FOR UPDATE SKIP LOCKED
      )`,
      [organizationId, changed_at, meeting_id],
    );
  });
  return changes;
}
