import { type EngineSql, exists, type Sql, type SqlValue } from '../engine/database.js';
import { lockMeetings, nextChangeTime } from './meeting-clock.js';

export function leadsMeetings(sql: Sql, userId: number): Promise<boolean> {
  return exists(sql, 'FROM meetings WHERE group_leader_id = ? LIMIT 1', [userId]);
}

/** Changes the meetings so that `meeting_changes` tells every organization that sees them. */
export async function changeMeetings(
  sql: EngineSql,
  change: {
    readonly where: string;
    readonly values: readonly SqlValue[];
    readonly set: string;
    readonly setValues: readonly SqlValue[];
  },
): Promise<void> {
  const { where, values, set, setValues } = change;
  await lockMeetings(sql);
  const changedAt = await nextChangeTime(sql);
  await sql.run(
    `UPDATE service_meeting_organizations SET updated_at = ?
    WHERE meeting_id IN (SELECT id FROM meetings WHERE ${where})`,
    [changedAt, ...values],
  );
  await sql.run(`UPDATE meetings SET ${set}, updated_at = ? WHERE ${where}`, [
    ...setValues,
    changedAt,
    ...values,
  ]);
}
