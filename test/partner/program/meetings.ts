import type { ExportedMeeting } from '@rollcall/contracts/client';
import type { Connection } from './connection.js';

/** The partner's own table of meetings. */
export interface MeetingTable {
  readonly rows: Map<number, ExportedMeeting>;
  /** The latest `updated_at` in the table, or null while it is empty. */
  latest: string | null;
}

const columns = ['id', 'updated_at', 'name', 'status', 'start_time', 'price'] as const;

/** Reads what is new since the last time. Returns the IDs of the rows that it has written. */
export async function follow({ api, id }: Connection, table: MeetingTable): Promise<readonly number[]> {
  const written: number[] = [];
  const since = table.latest;
  const request = {
    organizationId: id,
    'column[]': [...columns],
    reporting_days: 'everything' as const,
    ...(since !== null && { updated_since: since }),
  };
  for await (const meeting of api.exportMeetings(request)) {
    const { id: key, updated_at: updatedAt } = meeting;
    if (key === undefined || updatedAt === undefined) throw new Error('a column is missing');
    const known = table.rows.get(key);
    if (known?.updated_at !== updatedAt) written.push(key);
    table.rows.set(key, meeting);
    if (table.latest === null || updatedAt > table.latest) table.latest = updatedAt;
  }
  return written;
}
