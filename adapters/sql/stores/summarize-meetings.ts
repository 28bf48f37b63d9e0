import type { MeetingSummary, Meetings } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { joinTexts, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { select } from '../engine/statements.js';

type SummaryRow = Readonly<Record<'part' | 'meetings' | 'offered' | 'taken', number>>;

/** Selects the number of taken seats of a meeting, as `ListedMeeting` has it. */
export const seatsTaken = `(
      SELECT count(*) FROM registrations
      WHERE registrations.meeting_id = meetings.id
        AND (meetings.group_leader_id IS NULL OR registrations.user_id <> meetings.group_leader_id)
    ) + coalesce((SELECT seats FROM erased_seats WHERE meeting_id = meetings.id), 0)`;

/** Runs one statement with a part for each range. Each part reads only its range of an index. */
export function summarizeMeetings({ readAside }: Database): Meetings['summarize'] {
  return async ({ organizationId, withServiceMeetings, ranges }) => {
    if (ranges.length === 0) return [];
    const parts = ranges.flatMap((range, part) => {
      const one = { ...range, organizationId, part };
      return withServiceMeetings ? [own(one), tied(one)] : [own(one)];
    });
    const rows = await select<SummaryRow>(readAside(organizationId))(joinTexts(parts, ' UNION ALL '));
    return ranges.map((_, index) => total(rows.filter(({ part }) => part === index)));
  };
}

interface Part {
  readonly part: number;
  readonly organizationId: number;
  readonly from: Date;
  readonly before: Date;
}

function own({ part, organizationId, from, before }: Part): SqlText {
  return SQL`SELECT ${columns(part)} FROM meetings
    WHERE meetings.organization_id = ${organizationId} AND meetings.start_time >= ${from}
      AND meetings.start_time < ${before} AND meetings.status <> 'cancel'`;
}

function tied({ part, organizationId, from, before }: Part): SqlText {
  return SQL`SELECT ${columns(part)}
    FROM service_meeting_organizations AS ties CROSS JOIN meetings ON meetings.id = ties.meeting_id
    WHERE ties.organization_id = ${organizationId} AND ties.start_time >= ${from} AND ties.start_time < ${before}
      AND meetings.organization_id IS NULL AND meetings.status <> 'cancel'`;
}

function columns(part: number): SqlText {
  return raw(`${part} AS part, count(*) AS meetings,
    CAST(coalesce(sum(meetings.max_attendees), 0) AS BIGINT) AS offered,
    CAST(coalesce(sum(${seatsTaken}), 0) AS BIGINT) AS taken`);
}

function total(rows: readonly SummaryRow[]): MeetingSummary {
  const sum = (of: (row: SummaryRow) => number): number => rows.reduce((all, row) => all + of(row), 0);
  return {
    meetings: sum(({ meetings }) => meetings),
    seatsOffered: sum(({ offered }) => offered),
    seatsTaken: sum(({ taken }) => taken),
  };
}
