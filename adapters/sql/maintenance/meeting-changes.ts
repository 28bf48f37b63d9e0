import type { Bulk } from '../engine/database.js';
import { raw, type SqlText } from '../engine/sql-text.js';
import { execute, exists } from '../engine/statements.js';
import type { Staged } from './staged-kinds.js';

/**
 * Keeps the changes of meetings that partners read (stores/meeting-changes.ts). An organization sees its own meetings
 * and, while it has an Employee Assistance Program (`eap`), the service meetings that are tied to it. When an import
 * takes a meeting out of an organization's sight, it leaves a tombstone.
 */

export async function createChangesStaging(bulk: Bulk, whole: string, boolean: string): Promise<void> {
  await bulk.run(`CREATE TEMP TABLE dropped_ties (meeting_id ${whole}, organization_id ${whole})`);
  await bulk.run(`CREATE TEMP TABLE switched_programs (organization_id ${whole}, is_on ${boolean})`);
  await bulk.run(`CREATE TEMP TABLE hidden_meetings (meeting_id ${whole}, organization_id ${whole})`);
}

/** What an import found before its first change. */
export interface FoundChanges {
  /** Whether stored meetings can change. A first load only adds meetings. */
  readonly hasMeetings: boolean;
  /** Whether a program is switched on or off. */
  readonly hasSwitches: boolean;
}

/**
 * Finds the ties that the import drops, the programs that it switches, and every organization that may no longer see a
 * meeting afterwards. Call it before the first change, while no other import runs.
 */
export async function findChanges(bulk: Bulk, staged: Staged): Promise<FoundChanges> {
  if (!(await exists(bulk)`FROM meetings LIMIT 1`)) return { hasMeetings: false, hasSwitches: false };
  const { changes: switches } = await execute(bulk)`INSERT INTO switched_programs
    SELECT staged.id, staged.eap FROM staged_organizations AS staged
    CROSS JOIN organizations AS stored ON stored.id = staged.id
    WHERE NOT staged.deleted AND staged.eap <> stored.eap`;
  if (switches > 0) await bulk.run(hiddenBySwitches);
  const { stored, removes } = staged.meeting;
  const hasMeetings = stored > 0 || removes;
  if (hasMeetings)
    for (const text of [droppedTies, hiddenOwn, hiddenTied, hiddenUntied]) await bulk.run(text);
  return { hasMeetings, hasSwitches: switches > 0 };
}

const droppedTies = `INSERT INTO dropped_ties
  SELECT old.meeting_id, old.organization_id FROM staged_tied AS tied
  CROSS JOIN staged_meetings AS staged ON staged.id = tied.meeting_id AND staged.line = tied.line
  CROSS JOIN service_meeting_organizations AS old ON old.meeting_id = tied.meeting_id
  LEFT JOIN staged_ties AS ties
    ON ties.meeting_id = old.meeting_id AND ties.organization_id = old.organization_id AND ties.line = staged.line
  WHERE ties.meeting_id IS NULL`;

/** Meetings that are deleted or leave their organization. */
const hiddenOwn = `INSERT INTO hidden_meetings
  SELECT stored.id, stored.organization_id FROM staged_meetings AS staged
  CROSS JOIN meetings AS stored ON stored.id = staged.id
  WHERE stored.organization_id IS NOT NULL
    AND (staged.deleted OR staged.organization_id IS DISTINCT FROM stored.organization_id)`;

/** Service meetings that are deleted or become an organization's own. */
const hiddenTied = `INSERT INTO hidden_meetings
  SELECT ties.meeting_id, ties.organization_id FROM staged_meetings AS staged
  CROSS JOIN meetings AS stored ON stored.id = staged.id AND stored.organization_id IS NULL
  CROSS JOIN service_meeting_organizations AS ties ON ties.meeting_id = stored.id
  CROSS JOIN organizations ON organizations.id = ties.organization_id AND organizations.eap
  WHERE staged.deleted OR staged.organization_id IS NOT NULL`;

const hiddenUntied = `INSERT INTO hidden_meetings
  SELECT dropped.meeting_id, dropped.organization_id FROM dropped_ties AS dropped
  CROSS JOIN meetings AS stored ON stored.id = dropped.meeting_id AND stored.organization_id IS NULL
  CROSS JOIN organizations ON organizations.id = dropped.organization_id AND organizations.eap`;

const hiddenBySwitches = `INSERT INTO hidden_meetings
  SELECT ties.meeting_id, ties.organization_id FROM switched_programs AS switched
  CROSS JOIN service_meeting_organizations AS ties ON ties.organization_id = switched.organization_id
  CROSS JOIN meetings AS stored ON stored.id = ties.meeting_id AND stored.organization_id IS NULL
  WHERE NOT switched.is_on`;

/** Records what the import has changed. Call it after the last change of meetings, ties and organizations. */
export async function recordChanges(bulk: Bulk, found: FoundChanges, updatedAt: Date): Promise<void> {
  // The times of service meetings are copied to their ties. New ties already have them.
  if (found.hasMeetings)
    await execute(bulk)`UPDATE service_meeting_organizations SET updated_at = ${updatedAt}
      WHERE updated_at <> ${updatedAt} AND meeting_id IN (
        SELECT meetings.id FROM staged_meetings AS staged
        CROSS JOIN meetings ON meetings.id = staged.id AND meetings.updated_at = ${updatedAt}
        WHERE NOT staged.deleted AND staged.organization_id IS NULL
      )`;
  if (found.hasSwitches)
    await execute(bulk)`UPDATE service_meeting_organizations SET updated_at = ${updatedAt}
      WHERE ${isSwitchedOn}`;
  // Organizations that the import has removed get none.
  if (found.hasMeetings || found.hasSwitches)
    await execute(bulk)`INSERT INTO meeting_tombstones (meeting_id, organization_id, changed_at)
      SELECT DISTINCT hidden.meeting_id, hidden.organization_id, CAST(${updatedAt} AS timestamptz)
      FROM hidden_meetings AS hidden CROSS JOIN organizations ON organizations.id = hidden.organization_id
      WHERE NOT ${isSeen('hidden')}
      ON CONFLICT (meeting_id, organization_id) DO UPDATE SET changed_at = excluded.changed_at`;
  if (!(await exists(bulk)`FROM meeting_tombstones LIMIT 1`)) return;
  // A meeting that an organization sees again is a meeting and no longer a deletion.
  await execute(bulk)`DELETE FROM meeting_tombstones
    WHERE meeting_id IN (SELECT id FROM staged_meetings WHERE NOT deleted) AND ${isSeen('meeting_tombstones')}`;
  if (found.hasSwitches)
    await execute(bulk)`DELETE FROM meeting_tombstones
      WHERE ${isSwitchedOn} AND ${isSeen('meeting_tombstones')}`;
}

const isSwitchedOn = raw('organization_id IN (SELECT organization_id FROM switched_programs WHERE is_on)');

/** Whether the organization now sees the meeting of a row with both ids. */
function isSeen(row: string): SqlText {
  return raw(`EXISTS (
      SELECT 1 FROM meetings WHERE meetings.id = ${row}.meeting_id AND (
        meetings.organization_id = ${row}.organization_id
        OR meetings.organization_id IS NULL AND EXISTS (
          SELECT 1 FROM service_meeting_organizations AS ties
          WHERE ties.meeting_id = ${row}.meeting_id AND ties.organization_id = ${row}.organization_id
        ) AND EXISTS (
          SELECT 1 FROM organizations WHERE organizations.id = ${row}.organization_id AND organizations.eap
        )
      )
    )`);
}
