import type { Database } from '#adapters/sql/index.js';

/** Adds this many meetings to organization 1 of an SQLite database, with the IDs from 1. */
export async function addManyMeetings(database: Database, count: number): Promise<void> {
  const columns = `id, organization_id, name, meeting_type, start_time, end_time, duration, status, topic, special_focus,
    host, location, price, max_attendees, meeting_description, group_leader_id, privacy, eap, allow_meeting_donation,
    invitation_only, wait_list`;
  await database.bulk((bulk) =>
    bulk.write(() =>
      bulk.run(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
        INSERT INTO meetings (${columns})
        SELECT n, 1, 'Meeting ' || n, 'Group', '2026-11-20T18:00:00.000Z', '2026-11-20T19:00:00.000Z', 60, 'complete',
          'A topic of some length, as real meetings have', '', 'Dana K.', 'zoom', NULL, 12, NULL, NULL, 0, 0, 0, 0, 0
        FROM numbers`,
      ),
    ),
  );
}
