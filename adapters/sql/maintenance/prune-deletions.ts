import { type Database, timeEdges } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { execute, select } from '../engine/statements.js';
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
        select<Place>(database.read)`SELECT changed_at, meeting_id FROM meeting_tombstones
          WHERE organization_id = ${organizationId}
            AND (changed_at, meeting_id) > (${after?.changed_at ?? timeEdges[database.engine].before},
            ${after?.meeting_id ?? 0}) AND changed_at <= ${until}
          ORDER BY changed_at, meeting_id LIMIT ${raw(BATCH_ROWS)}`,
      remove: (_, last) => removeUntil(database, organizationId, last),
    });
  return count;
}

interface Place {
  readonly changed_at: string;
  readonly meeting_id: number;
}

/** One transaction, so that no reader sees the changes without these tombstones and believes that they are complete. */
async function removeUntil({ write }: Database, organizationId: number, { changed_at, meeting_id }: Place) {
  const { changes } = await write(async (sql) => {
    await execute(sql)`INSERT INTO pruned_tombstones (organization_id, changed_at)
      VALUES (${organizationId}, ${changed_at})
      ON CONFLICT (organization_id) DO UPDATE SET changed_at = excluded.changed_at
      WHERE pruned_tombstones.changed_at < excluded.changed_at`;
    // A tombstone that an import is changing is left to the next run.
    return execute(sql)`DELETE FROM meeting_tombstones WHERE (meeting_id, organization_id) IN (
        SELECT meeting_id, organization_id FROM meeting_tombstones
        WHERE organization_id = ${organizationId}
          AND (changed_at, meeting_id) <= (${changed_at}, ${meeting_id}) FOR UPDATE SKIP LOCKED
      )`;
  });
  return changes;
}
