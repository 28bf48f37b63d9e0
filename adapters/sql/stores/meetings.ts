import type {
  BeforeLongTexts,
  MeetingDetails,
  Meetings,
  Places,
  PlacesOnPage,
  RegisteredPlace,
  WaitingPlace,
  WaitingStatus,
} from '@rollcall/core';
import { type Database, timestampOrNull } from '../engine/database.js';
import { andAllOf, inLists, raw, SQL, type SqlText } from '../engine/sql-text.js';

import { exportMeetings } from '../export/export-meetings.js';
import { findMeeting, readAttendees } from './find-meeting.js';
import { listMeetings } from './list-meetings.js';
import { readLongTexts } from './long-texts.js';
import { readMeetingChanges } from './meeting-changes.js';
import { summarizeMeetings } from './summarize-meetings.js';
import { foundMeetings } from './text-search.js';

type RegisteredRow = readonly [meetingId: number, startTime: string, registeredAt: string];

type WaitingRow = readonly [
  meetingId: number,
  startTime: string,
  registeredAt: null,
  status: WaitingStatus,
  offeredUntil: string | null,
];

type PlaceRow = RegisteredRow | WaitingRow;

type DetailsRow = readonly [
  id: number,
  name: string,
  startTime: string,
  endTime: string,
  topic: string,
  /** Null as well if it is too long to be read with the others. */
  description: string | null,
  descriptionBytes: number | null,
  location: string,
  maxAttendees: number,
  registeredAttendees: number,
  leaderId: number | null,
  firstName: string | null,
  lastName: string | null,
  avatar: string | null,
  showsNames: number | boolean,
];

/**
 * A meeting on the page with the member's places in it, and the number of meetings on all pages. Null apart from that
 * number: the member exists, and nothing is on the page.
 */
type PlacedRow = readonly [
  ...(DetailsRow | Nulls<DetailsRow>),
  registeredAt: string | null,
  status: WaitingStatus | null,
  total: number,
];

type Nulls<Row extends readonly unknown[]> = { readonly [Column in keyof Row]: null };

/** Whether a user in the organization sees the meeting, in a form that keeps the planner from a worse index. */
const isVisible = (organizationId: number) =>
  SQL`coalesce(meetings.organization_id, ${organizationId}) = ${organizationId}`;

const IS_OPEN = raw(`meetings.status NOT IN ('complete', 'cancel')`);

/**
 * Selects the upcoming places of a user as `PlaceRow`. The places carry a copy of the end time, so that only the few
 * upcoming ones of a long history are read. `CROSS JOIN` keeps SQLite from starting with the open meetings of everybody.
 */
const placesByUser = ({ organizationId, userId, now }: OfUser, found: SqlText) => SQL`
    SELECT registrations.meeting_id, meetings.start_time, registrations.registered_at, NULL AS status,
      NULL AS offered_until
    FROM registrations CROSS JOIN meetings ON meetings.id = registrations.meeting_id
    WHERE ${isVisible(organizationId)} AND registrations.user_id = ${userId}
      AND registrations.end_time > ${now} AND ${IS_OPEN}${found}
    UNION ALL
    SELECT waitlist_entries.meeting_id, meetings.start_time, NULL, waitlist_entries.status, waitlist_entries.offered_until
    FROM waitlist_entries CROSS JOIN meetings ON meetings.id = waitlist_entries.meeting_id
    WHERE ${isVisible(organizationId)} AND waitlist_entries.user_id = ${userId}
      AND waitlist_entries.end_time > ${now} AND ${IS_OPEN} AND meetings.wait_list${found}`;

/**
 * Selects the seats of a user as `RegisteredRow`, and looks up the meeting of each seat by its key. PostgreSQL takes
 * `isVisible` for rare, so with a join it would read every meeting of every organization and look for the seat in each.
 */
const seatsSinceText = (
  { organizationId, userId, endsAfter }: Omit<OfUser, 'now'> & { readonly endsAfter: Date },
  found: SqlText,
) => SQL`WITH seats AS MATERIALIZED (
      SELECT meeting_id, registered_at, (
        SELECT meetings.start_time FROM meetings
        WHERE meetings.id = registrations.meeting_id AND ${isVisible(organizationId)}
          AND meetings.status <> 'cancel'${found}
      ) AS start_time
      FROM registrations
      WHERE registrations.user_id = ${userId} AND registrations.end_time > ${endsAfter}
    )
    SELECT meeting_id, start_time, registered_at FROM seats WHERE start_time IS NOT NULL`;

/** The bytes of descriptions that are read together with the rest of the rows. */
const INLINE_BYTES = 65_536;

/** In the order of `DetailsRow`. `maxBytes`: of the longest description that is read with the others. */
const detailsColumns = (maxBytes: number) => SQL`
  meetings.id, meetings.name, meetings.start_time, meetings.end_time, meetings.topic,
  CASE WHEN octet_length(meetings.meeting_description) <= ${maxBytes} THEN meetings.meeting_description END,
  octet_length(meetings.meeting_description), meetings.location, meetings.max_attendees,
  (
    SELECT count(*) FROM registrations
    WHERE registrations.meeting_id = meetings.id
      AND (meetings.group_leader_id IS NULL OR registrations.user_id <> meetings.group_leader_id)
  ),
  leaders.id, leaders.first_name, leaders.last_name, leaders.avatar,
  meetings.organization_id IS NOT NULL AND NOT meetings.privacy`;

/**
 * One statement, because each costs a round trip. A meeting is one row, even if the member has a seat and waits. The
 * details are looked up for the meetings on the page alone.
 */
const placesOfText = ({
  organizationId,
  idpId,
  now,
  page: { offset, limit },
}: Parameters<Meetings['placesOf']>[0]) => SQL`
  WITH member AS (
    SELECT user_id FROM memberships WHERE organization_id = ${organizationId} AND idp_id = ${idpId}
  ),
  places AS MATERIALIZED (
    SELECT held.meeting_id, meetings.start_time, held.registered_at, held.status
    FROM (
      SELECT meeting_id, max(registered_at) AS registered_at, max(status) AS status
      FROM (
        SELECT meeting_id, registered_at, NULL AS status FROM registrations
        WHERE user_id = (SELECT user_id FROM member) AND end_time > ${now}
        UNION ALL
        SELECT meeting_id, NULL, status FROM waitlist_entries
        WHERE user_id = (SELECT user_id FROM member) AND end_time > ${now}
          AND (SELECT wait_list FROM meetings WHERE meetings.id = waitlist_entries.meeting_id)
      ) AS found
      GROUP BY meeting_id
    ) AS held CROSS JOIN meetings ON meetings.id = held.meeting_id
    WHERE ${isVisible(organizationId)} AND ${IS_OPEN}
  ),
  page AS (
    SELECT * FROM places ORDER BY start_time, meeting_id LIMIT ${limit} OFFSET ${offset}
  )
  SELECT ${detailsColumns(Math.floor(INLINE_BYTES / limit))}, page.registered_at, page.status, (SELECT count(*) FROM places)
  FROM member
  LEFT JOIN page ON true
  LEFT JOIN meetings ON meetings.id = page.meeting_id
  LEFT JOIN users AS leaders ON leaders.id = meetings.group_leader_id`;

export function sqlMeetings(database: Database): Meetings {
  const { engine, read, readAside } = database;

  async function withLongTexts(
    rows: readonly (readonly [...DetailsRow, ...unknown[]])[],
    { organizationId, details, beforeLongTexts }: LongTextsOf,
  ): Promise<readonly MeetingDetails[]> {
    const sizes = new Map(rows.filter(isCut).map((row) => [row[0], row[6] ?? 0]));
    if (sizes.size === 0) return details;
    const texts = await readLongTexts(readAside(organizationId), { organizationId, sizes, beforeLongTexts });
    return details.map((meeting) =>
      sizes.has(meeting.id) ? { ...meeting, description: texts.get(meeting.id) ?? null } : meeting,
    );
  }

  return {
    async places({ words, ...user }) {
      const found = andAllOf(foundMeetings(engine, words));
      return toPlaces(await readAside(user.organizationId).rows<PlaceRow>(...placesByUser(user, found).args));
    },

    async placesOf(request) {
      const { organizationId, beforeLongTexts } = request;
      const rows = await read.rows<PlacedRow>(...placesOfText(request).args);
      if (rows.length === 0) return null;
      const { details, ...places } = placesIn(rows);
      return {
        ...places,
        details: await withLongTexts(rows.filter(isPlaced), { organizationId, details, beforeLongTexts }),
      };
    },

    async seatsSince({ words, ...user }) {
      const text = seatsSinceText(user, andAllOf(foundMeetings(engine, words)));
      return (await readAside(user.organizationId).rows<RegisteredRow>(...text.args)).map(toRegistered);
    },

    async details({ organizationId, ids, beforeLongTexts }) {
      const found: DetailsRow[] = [];
      const columns = detailsColumns(Math.floor(INLINE_BYTES / ids.length));
      for (const list of inLists(ids)) {
        const text = SQL`SELECT ${columns}
          FROM meetings LEFT JOIN users AS leaders ON leaders.id = meetings.group_leader_id
          WHERE ${isVisible(organizationId)} AND meetings.id IN (${list})`;
        found.push(...(await readAside(organizationId).rows<DetailsRow>(...text.args)));
      }
      return withLongTexts(found, { organizationId, details: found.map(toDetails), beforeLongTexts });
    },

    export: exportMeetings(database),
    list: listMeetings(database),
    find: findMeeting(database),
    attendees: readAttendees(database),
    changes: readMeetingChanges(database),
    summarize: summarizeMeetings(database),
  };
}

type OfUser = Omit<Parameters<Meetings['places']>[0], 'words'>;

interface LongTextsOf {
  readonly organizationId: number;
  readonly details: readonly MeetingDetails[];
  readonly beforeLongTexts: BeforeLongTexts | undefined;
}

/** Whether the row has a description that was too long. */
function isCut(row: readonly [...DetailsRow, ...unknown[]]): boolean {
  return row[5] === null && row[6] !== null;
}

function isPlaced(row: PlacedRow): row is [...DetailsRow, string | null, WaitingStatus | null, number] {
  return row[0] !== null;
}

function toRegistered([meetingId, startTime, registeredAt]: RegisteredRow): RegisteredPlace {
  return { meetingId, startTime: new Date(startTime), registeredAt: new Date(registeredAt) };
}

function placesIn(rows: readonly PlacedRow[]): PlacesOnPage {
  const registered: RegisteredPlace[] = [];
  const waiting: WaitingPlace[] = [];
  const details: MeetingDetails[] = [];
  for (const row of rows) {
    if (!isPlaced(row)) continue;
    const meeting = toDetails(row);
    const { id: meetingId, startTime } = meeting;
    const [registeredAt, status] = [row[15], row[16]];
    if (registeredAt !== null)
      registered.push({ meetingId, startTime, registeredAt: new Date(registeredAt) });
    if (status !== null) waiting.push({ meetingId, startTime, status });
    details.push(meeting);
  }
  return { registered, waiting, details, total: rows[0]?.[17] ?? 0 };
}

function toPlaces(rows: readonly PlaceRow[]): Places {
  return {
    registered: rows.flatMap((row) => (row[2] === null ? [] : toRegistered(row))),
    waiting: rows.flatMap((row) => (row[2] === null ? toWaiting(row) : [])),
  };
}

function toWaiting([meetingId, startTime, , status, offeredUntil]: WaitingRow): WaitingPlace {
  return { meetingId, startTime: new Date(startTime), status, offeredUntil: timestampOrNull(offeredUntil) };
}

/** Reads values by index. Destructuring so many values would be slower, because it uses an iterator. */
function toDetails(row: readonly [...DetailsRow, ...unknown[]]): MeetingDetails {
  return {
    id: row[0],
    name: row[1],
    startTime: new Date(row[2]),
    endTime: new Date(row[3]),
    topic: row[4],
    description: row[5],
    location: row[7],
    maxAttendees: row[8],
    registeredAttendees: row[9],
    groupLeader: toLeader(row),
    showsNames: Boolean(row[14]),
  };
}

function toLeader(row: readonly [...DetailsRow, ...unknown[]]): MeetingDetails['groupLeader'] {
  const [id, firstName, lastName, avatar] = [row[10], row[11], row[12], row[13]];
  if (id === null || firstName === null || lastName === null) return null;
  return { id, firstName, lastName, avatar };
}
