import type { ListedMeeting, Meetings, WaitingStatus } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { raw, SQL } from '../engine/sql-text.js';
import { select } from '../engine/statements.js';
import { type StoredRow, stored, storedIn } from '../engine/stored.js';
import type { SelectedMeetings } from '../export/export-request.js';
import { countCanceled, countOf, selectedKeys } from '../export/selection.js';
import { seatsTaken } from './summarize-meetings.js';

const listedColumns = storedIn('meetings', {
  ...{ id: 'whole', name: 'text', startTime: 'time', endTime: 'time', status: 'text' },
  ...{ topic: 'text', host: 'text', maxAttendees: 'whole', privacy: 'flag' },
});

/** Selects the number of people who have one of the statuses and no seat of the meeting, as `ListedMeeting` has it. */
const onWaitlist = (...statuses: readonly WaitingStatus[]) => `CASE WHEN meetings.wait_list THEN (
      SELECT count(*) FROM waitlist_entries AS entries
      WHERE entries.meeting_id = meetings.id
      AND entries.status IN (${statuses.map((status) => `'${status}'`).join(', ')}) AND NOT EXISTS (
        SELECT 1 FROM registrations
        WHERE registrations.meeting_id = entries.meeting_id AND registrations.user_id = entries.user_id
      )
    ) ELSE 0 END`;

export const listedMeeting = stored<ListedMeeting>(
  `${listedColumns.columns}, ${seatsTaken} AS seats_taken, ${onWaitlist('waiting', 'offered')} AS waiting,
    ${onWaitlist('offered')} AS offered, meetings.organization_id IS NULL AS is_of_service`,
  (row) => ({
    ...listedColumns.read(row),
    seatsTaken: Number(row.seats_taken),
    waiting: Number(row.waiting),
    offered: Number(row.offered),
    isOfService: Boolean(row.is_of_service),
  }),
);

interface Counts {
  readonly total: number;
  readonly canceled: number;
}

type ListRow = StoredRow & Counts & { readonly id: number | null };

/** Reads the page and the numbers in one statement, and therefore from one state of the database. */
export function listMeetings({ engine, readAside }: Database): Meetings['list'] {
  return async ({ selection, words = [], order, page: { offset, limit } }) => {
    const isBackwards = order === 'latest';
    const { page, total, canceled } = pageOf({ engine, selection, words }, { offset, limit, isBackwards });
    const direction = raw(isBackwards ? 'DESC' : 'ASC');
    const rows = await select<ListRow>(readAside(selection.organizationId))`WITH ${page}
      SELECT counted.total, counted.canceled, ${raw(listedMeeting.columns)}
      FROM (SELECT (${total}) AS total, (${canceled}) AS canceled) AS counted LEFT JOIN page ON true
      LEFT JOIN meetings ON meetings.id = page.id
      ORDER BY page.start_time ${direction}, page.id ${direction}`;
    const meetings = rows.filter(({ id }) => id !== null).map((row) => listedMeeting.read(row));
    return { meetings, total: Number(rows[0]?.total), canceled: Number(rows[0]?.canceled) };
  };
}

interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly isBackwards: boolean;
}

/**
 * The keys of a page as a common table expression, and their numbers. An index has the usual lists in order, and they are
 * counted quickly. A search, and the rare states, read every meeting of the range once for all three.
 */
function pageOf(request: SelectedMeetings, { offset, limit, isBackwards }: Page) {
  const { words = [], selection } = request;
  const readsAll = words.length > 0 || selection.state === 'canceled' || selection.state === 'ended';
  const max = readsAll ? null : SQL`${offset + limit}`;
  const keys = selectedKeys(request, { after: null, max, isBackwards });
  if (!readsAll)
    return {
      page: SQL`page AS (${keys} LIMIT ${limit} OFFSET ${offset})`,
      total: countOf(request),
      canceled: selection.state === 'any' ? countCanceled(request) : raw(0),
    };
  const direction = raw(isBackwards ? 'DESC' : 'ASC');
  return {
    page: SQL`found AS MATERIALIZED (${keys}),
      page AS (
        SELECT start_time, id FROM found
        ORDER BY start_time ${direction}, id ${direction} LIMIT ${limit} OFFSET ${offset}
      )`,
    total: raw('SELECT count(*) FROM found'),
    canceled: SQL`SELECT count(*) FROM found
      WHERE (SELECT status FROM meetings WHERE meetings.id = found.id) = 'cancel'`,
  };
}
