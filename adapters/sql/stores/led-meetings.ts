import type { EngineSql, Sql } from '../engine/database.js';
import type { SqlText } from '../engine/sql-text.js';
import { execute, exists } from '../engine/statements.js';
import { lockMeetings, nextChangeTime } from './meeting-clock.js';

export function leadsMeetings(sql: Sql, userId: number): Promise<boolean> {
  return exists(sql)`FROM meetings WHERE group_leader_id = ${userId} LIMIT 1`;
}

/** Changes the meetings so that `meeting_changes` tells every organization that sees them. */
export async function changeMeetings(sql: EngineSql, where: SqlText, set: SqlText): Promise<void> {
  await lockMeetings(sql);
  const changedAt = await nextChangeTime(sql);
  await execute(sql)`UPDATE service_meeting_organizations SET updated_at = ${changedAt}
    WHERE meeting_id IN (SELECT id FROM meetings WHERE ${where})`;
  await execute(sql)`UPDATE meetings SET ${set}, updated_at = ${changedAt} WHERE ${where}`;
}
