import { ApiError, type ExportedMeeting } from '@rollcall/contracts/client';
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

/** The partner's own copy of its meetings, without those that are gone. */
export interface MeetingCopy {
  readonly rows: Map<number, ExportedMeeting>;
  /** The place of the last change in the copy, or null in the beginning. */
  after: string | null;
}

/** Applies what has changed since the last time. Starts again if that is too long ago. */
export async function keepCopy(connection: Connection, copy: MeetingCopy): Promise<void> {
  try {
    await applyChanges(connection, copy);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'cursor-expired')) throw error;
    copy.after = null;
    const fresh: MeetingCopy = { rows: new Map(), after: null };
    await applyChanges(connection, fresh);
    for (const key of copy.rows.keys()) if (!fresh.rows.has(key)) copy.rows.delete(key);
    for (const [key, meeting] of fresh.rows) copy.rows.set(key, meeting);
    copy.after = fresh.after;
  }
}

async function applyChanges({ api, id }: Connection, copy: MeetingCopy): Promise<void> {
  const request = {
    organizationId: id,
    'column[]': [...columns],
    limit: 25,
    ...(copy.after !== null && { after: copy.after }),
  };
  for await (const { changes, next } of api.meetingChanges(request)) {
    for (const { id: key, meeting } of changes) {
      if (meeting === null) copy.rows.delete(key);
      else copy.rows.set(key, meeting);
    }
    copy.after = next;
  }
}
