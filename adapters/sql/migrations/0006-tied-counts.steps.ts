import { counts } from './0006-tied-counts.postgres.js';
import { batches, change, type Step } from './steps.js';

/**
 * The changes of 0006-tied-counts.postgres.ts, for a database in use. The triggers come first, with a row for the count
 * of each organization. Then each organization is counted in turn while its row is locked. The count waits for
 * uncommitted transactions that changed the row, and later ones add to the result.
 */
export const tiedCountsInSteps: readonly Step[] = [
  change(
    `CREATE TABLE tied_meeting_counts (
      organization_id bigint NOT NULL PRIMARY KEY
        REFERENCES organizations ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE,
      meetings bigint NOT NULL,
      eap_meetings bigint NOT NULL
    )`,
  ),
  // Only imports write to these tables.
  change(
    'LOCK TABLE meetings, service_meeting_organizations IN SHARE ROW EXCLUSIVE MODE',
    'INSERT INTO tied_meeting_counts SELECT id, 0, 0 FROM organizations',
    ...counts,
  ),
  batches({
    table: 'tied_meeting_counts',
    key: 'organization_id',
    maxRows: 1,
    statements: (range) => [
      `SELECT 1 FROM tied_meeting_counts WHERE ${range('organization_id')} FOR UPDATE`,
      `UPDATE tied_meeting_counts AS counts SET meetings = tied.meetings, eap_meetings = tied.eap_meetings
      FROM (
        SELECT counted.organization_id, count(found.id) AS meetings,
          count(*) FILTER (WHERE found.eap) AS eap_meetings
        FROM tied_meeting_counts AS counted
        LEFT JOIN service_meeting_organizations AS ties ON ties.organization_id = counted.organization_id
        LEFT JOIN meetings AS found ON found.id = ties.meeting_id
          AND found.organization_id IS NULL AND found.status = 'complete'
        WHERE ${range('counted.organization_id')} GROUP BY counted.organization_id
      ) AS tied
      WHERE tied.organization_id = counts.organization_id`,
    ],
  }),
];
