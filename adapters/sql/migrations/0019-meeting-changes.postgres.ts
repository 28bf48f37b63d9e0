import { atOnce, change, index, type Step } from './steps.js';

const organization = 'bigint REFERENCES organizations ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE';
const now = `date_trunc('milliseconds', clock_timestamp())`;

/**
 * The same changes as in SQLite. The default is for an earlier release that imports after the migration, which does not
 * name the column.
 */
export const meetingChangesInSteps: readonly Step[] = [
  change(
    `ALTER TABLE service_meeting_organizations
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now())`,
    `ALTER TABLE service_meeting_organizations ALTER COLUMN updated_at SET DEFAULT ${now}`,
  ),
  change(
    `CREATE TABLE meeting_clock (id integer PRIMARY KEY CHECK (id = 1), last_at timestamptz NOT NULL)`,
    `INSERT INTO meeting_clock (id, last_at) SELECT 1, ${now} WHERE EXISTS (SELECT FROM meetings)`,
    `CREATE TABLE meeting_tombstones (
      meeting_id bigint NOT NULL,
      organization_id ${organization} NOT NULL,
      changed_at timestamptz NOT NULL,
      PRIMARY KEY (meeting_id, organization_id)
    )`,
    `CREATE INDEX meeting_tombstones_by_time ON meeting_tombstones (organization_id, changed_at, meeting_id)`,
    `CREATE TABLE pruned_tombstones (
      organization_id ${organization} PRIMARY KEY,
      changed_at timestamptz NOT NULL
    )`,
  ),
  index('meetings_by_update', 'meetings (organization_id, updated_at, id)'),
  index(
    'service_meetings_by_update',
    'service_meeting_organizations (organization_id, updated_at, meeting_id)',
  ),
];

export const up = atOnce(meetingChangesInSteps);
