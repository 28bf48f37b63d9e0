import type {
  MeetingDetails,
  Meetings,
  Places,
  RegisteredPlace,
  WaitingPlace,
  WaitingStatus,
} from '@rollcall/core';
import { type Database, inLists, parseTimestamp } from '../engine/database.js';
import { exportMeetings } from '../export/export-meetings.js';
import { readMeetingChanges } from './meeting-changes.js';
import { summarizeMeetings } from './summarize-meetings.js';

type RegisteredRow = readonly [meetingId: number, startTime: string, registeredAt: string];

type WaitingRow = readonly [meetingId: number, startTime: string, registeredAt: null, status: WaitingStatus];

type PlaceRow = RegisteredRow | WaitingRow;

type DetailsRow = readonly [
  id: number,
  name: string,
  startTime: string,
  endTime: string,
  topic: string,
  description: string | null,
  location: string,
  maxAttendees: number,
  registeredAttendees: number,
  leaderId: number | null,
  firstName: string | null,
  lastName: string | null,
  avatar: string | null,
];

/**
 * The details of a meeting (null when it is not on the page), followed by the member's places in it. A row of nulls only
 * means that the member exists but has no places.
 */
type PlacedRow = readonly [
  ...(DetailsRow | Nulls<DetailsRow>),
  meetingId: number | null,
  startTime: string | null,
  registeredAt: string | null,
  status: WaitingStatus | null,
];

type Nulls<Row extends readonly unknown[]> = { readonly [Column in keyof Row]: null };

/**
 * Selects the upcoming places of a user as `PlaceRow`. `user` is an SQL expression for the user's id. The places carry
 * a copy of the end time, so that only the few upcoming ones of a long history are read. `coalesce(organization_id, ?)
 * = ?` selects the organization's own meetings and those without an organization, in a form that keeps the planner from
 * a worse index.
 */
function placesText(user: string): string {
  return `SELECT registrations.meeting_id, meetings.start_time, registrations.registered_at, NULL AS status
    FROM registrations JOIN meetings ON meetings.id = registrations.meeting_id
    WHERE coalesce(meetings.organization_id, ?) = ?
      AND registrations.user_id = ${user} AND registrations.end_time > ?
      AND meetings.status NOT IN ('complete', 'cancel')
    UNION ALL
    SELECT waitlist_entries.meeting_id, meetings.start_time, NULL, waitlist_entries.status
    FROM waitlist_entries JOIN meetings ON meetings.id = waitlist_entries.meeting_id
    WHERE coalesce(meetings.organization_id, ?) = ?
      AND waitlist_entries.user_id = ${user} AND waitlist_entries.end_time > ?
      AND meetings.status NOT IN ('complete', 'cancel') AND meetings.wait_list`;
}

/** In the order of `DetailsRow`. */
const detailsColumns = `meetings.id, meetings.name, meetings.start_time, meetings.end_time, meetings.topic,
  meetings.meeting_description, meetings.location, meetings.max_attendees,
  (
    SELECT count(*) FROM registrations
    WHERE registrations.meeting_id = meetings.id
      AND (meetings.group_leader_id IS NULL OR registrations.user_id <> meetings.group_leader_id)
  ),
  leaders.id, leaders.first_name, leaders.last_name, leaders.avatar`;

/**
 * One statement, because each costs a round trip. A meeting is one row, even if the member has a seat and waits, so that
 * its details are read once. They are looked up by the ids on the page. The casts are for SQLite, see `read-page.ts`.
 */
const placesOfText = `
  WITH member AS (SELECT user_id FROM memberships WHERE organization_id = ? AND idp_id = ?),
  places AS MATERIALIZED (
    SELECT meeting_id, start_time, max(registered_at) AS registered_at, max(status) AS status
    FROM (${placesText('(SELECT user_id FROM member)')}) AS found
    GROUP BY meeting_id, start_time
  ),
  page AS MATERIALIZED (
    SELECT meeting_id FROM places ORDER BY start_time, meeting_id
    LIMIT CAST(? AS BIGINT) OFFSET CAST(? AS BIGINT)
  )
  SELECT ${detailsColumns}, places.meeting_id, places.start_time, places.registered_at, places.status
  FROM member
  LEFT JOIN places ON true
  LEFT JOIN meetings ON meetings.id =
    CASE WHEN places.meeting_id IN (SELECT meeting_id FROM page) THEN places.meeting_id END
  LEFT JOIN users AS leaders ON leaders.id = meetings.group_leader_id`;

const detailsTexts = new Map<string, string>();

/** Builds each text once. A new string would be compared letter by letter to find its prepared statement. */
function detailsText(placeholders: string): string {
  const text =
    detailsTexts.get(placeholders) ??
    `SELECT ${detailsColumns}
    FROM meetings LEFT JOIN users AS leaders ON leaders.id = meetings.group_leader_id
    WHERE coalesce(meetings.organization_id, ?) = ?
      AND meetings.id IN (${placeholders})`;
  detailsTexts.set(placeholders, text);
  return text;
}

const placesByUserText = placesText('?');

export function sqlMeetings(database: Database): Meetings {
  const { read, readAside } = database;
  return {
    async places({ organizationId, userId, now }) {
      const scopeValues = [organizationId, organizationId, userId, now];
      const aside = readAside(organizationId);
      return toPlaces(await aside.rows<PlaceRow>(placesByUserText, [...scopeValues, ...scopeValues]));
    },

    async placesOf({ organizationId, idpId, now, page: { offset, limit } }) {
      const scopeValues = [organizationId, organizationId, now];
      const rows = await read.rows<PlacedRow>(placesOfText, [
        ...[organizationId, idpId],
        ...[...scopeValues, ...scopeValues],
        ...[limit, offset],
      ]);
      return rows.length === 0 ? null : placesIn(rows);
    },

    async seatsSince({ organizationId, userId, endsAfter }) {
      const rows = await readAside(organizationId).rows<RegisteredRow>(
        `SELECT registrations.meeting_id, meetings.start_time, registrations.registered_at
        FROM registrations JOIN meetings ON meetings.id = registrations.meeting_id
        WHERE coalesce(meetings.organization_id, ?) = ?
          AND registrations.user_id = ? AND registrations.end_time > ? AND meetings.status <> 'cancel'`,
        [organizationId, organizationId, userId, endsAfter],
      );
      return rows.map(toRegistered);
    },

    async details({ organizationId, ids }) {
      const found: MeetingDetails[] = [];
      for (const list of inLists(ids)) {
        const values = [organizationId, organizationId, ...list.values];
        const rows = await readAside(organizationId).rows<DetailsRow>(detailsText(list.placeholders), values);
        found.push(...rows.map(toDetails));
      }
      return found;
    },

    export: exportMeetings(database),
    changes: readMeetingChanges(database),
    summarize: summarizeMeetings(database),
  };
}

function toRegistered([meetingId, startTime, registeredAt]: RegisteredRow): RegisteredPlace {
  return { meetingId, startTime: parseTimestamp(startTime), registeredAt: parseTimestamp(registeredAt) };
}

function placesIn(rows: readonly PlacedRow[]): Places & { readonly details: readonly MeetingDetails[] } {
  const registered: RegisteredPlace[] = [];
  const waiting: WaitingPlace[] = [];
  const details: MeetingDetails[] = [];
  for (const row of rows) {
    const [meetingId, start, registeredAt, status] = [row[13], row[14], row[15], row[16]];
    if (meetingId === null || start === null) continue;
    const startTime = parseTimestamp(start);
    if (registeredAt !== null)
      registered.push({ meetingId, startTime, registeredAt: parseTimestamp(registeredAt) });
    if (status !== null) waiting.push({ meetingId, startTime, status });
    if (row[0] !== null) details.push(toDetails(row));
  }
  return { registered, waiting, details };
}

function toPlaces(rows: readonly PlaceRow[]): Places {
  return {
    registered: rows.filter(isRegistered).map(toRegistered),
    waiting: rows.filter(isWaiting).map(toWaiting),
  };
}

function isRegistered(row: PlaceRow): row is RegisteredRow {
  return row[2] !== null;
}

function isWaiting(row: PlaceRow): row is WaitingRow {
  return row[2] === null;
}

function toWaiting([meetingId, startTime, , status]: WaitingRow): WaitingPlace {
  return { meetingId, startTime: parseTimestamp(startTime), status };
}

/** Reads values by index. Destructuring thirteen values would be slower, because it uses an iterator. */
function toDetails(row: readonly [...DetailsRow, ...unknown[]]): MeetingDetails {
  return {
    id: row[0],
    name: row[1],
    startTime: parseTimestamp(row[2]),
    endTime: parseTimestamp(row[3]),
    topic: row[4],
    description: row[5],
    location: row[6],
    maxAttendees: row[7],
    registeredAttendees: row[8],
    groupLeader: toLeader(row),
  };
}

function toLeader(row: readonly [...DetailsRow, ...unknown[]]): MeetingDetails['groupLeader'] {
  const [id, firstName, lastName, avatar] = [row[9], row[10], row[11], row[12]];
  if (id === null || firstName === null || lastName === null) return null;
  return { id, firstName, lastName, avatar };
}
