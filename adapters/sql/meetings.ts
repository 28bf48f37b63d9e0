import type { MeetingDetails, Meetings, RegisteredPlace, WaitingStatus } from '@rollcall/core';
import { type Database, inLists } from './database.js';
import { exportMeetings } from './export.js';
import { summarizeMeetings } from './summary.js';

interface RegisteredRow {
  readonly meeting_id: number;
  readonly start_time: string;
  readonly registered_at: string;
}

interface WaitingRow {
  readonly meeting_id: number;
  readonly start_time: string;
  readonly status: WaitingStatus;
}

interface DetailsRow {
  readonly id: number;
  readonly name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly topic: string;
  readonly meeting_description: string | null;
  readonly location: string;
  readonly max_attendees: number;
  readonly registered_attendees: number;
  readonly leader_id: number | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly avatar: string | null;
}

/**
 * The places carry a copy of the end time, so that only the few upcoming ones of a long history are read.
 * `coalesce(organization_id, ?) = ?` is the organization's own or nobody's, said so that no index on it is
 * taken in the place of the better one.
 */
export function sqlMeetings(database: Database): Meetings {
  const { read } = database;
  return {
    async registeredPlaces({ organizationId, userId, now }) {
      const rows = await read.all<RegisteredRow>(
        `SELECT registrations.meeting_id, meetings.start_time, registrations.registered_at
        FROM registrations JOIN meetings ON meetings.id = registrations.meeting_id
        WHERE coalesce(meetings.organization_id, ?) = ?
          AND registrations.user_id = ? AND registrations.end_time > ?
          AND meetings.status NOT IN ('complete', 'cancel')`,
        [organizationId, organizationId, userId, now],
      );
      return rows.map(toRegistered);
    },

    async waitingPlaces({ organizationId, userId, now }) {
      const rows = await read.all<WaitingRow>(
        `SELECT waitlist_entries.meeting_id, meetings.start_time, waitlist_entries.status
        FROM waitlist_entries JOIN meetings ON meetings.id = waitlist_entries.meeting_id
        WHERE coalesce(meetings.organization_id, ?) = ?
          AND waitlist_entries.user_id = ? AND waitlist_entries.end_time > ?
          AND meetings.status NOT IN ('complete', 'cancel') AND meetings.wait_list`,
        [organizationId, organizationId, userId, now],
      );
      return rows.map((row) => ({
        meetingId: row.meeting_id,
        startTime: new Date(row.start_time),
        status: row.status,
      }));
    },

    async seatsSince({ organizationId, userId, endsAfter }) {
      const rows = await read.all<RegisteredRow>(
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
        const rows = await read.all<DetailsRow>(
          `SELECT meetings.id, meetings.name, meetings.start_time, meetings.end_time, meetings.topic,
            meetings.meeting_description, meetings.location, meetings.max_attendees,
            (
              SELECT count(*) FROM registrations
              WHERE registrations.meeting_id = meetings.id
                AND (meetings.group_leader_id IS NULL OR registrations.user_id <> meetings.group_leader_id)
            ) AS registered_attendees,
            leaders.id AS leader_id, leaders.first_name, leaders.last_name, leaders.avatar
          FROM meetings LEFT JOIN users AS leaders ON leaders.id = meetings.group_leader_id
          WHERE coalesce(meetings.organization_id, ?) = ?
            AND meetings.id IN (${list.marks})`,
          [organizationId, organizationId, ...list.values],
        );
        found.push(...rows.map(toDetails));
      }
      return found;
    },

    export: exportMeetings(database),
    summarize: summarizeMeetings(database),
  };
}

function toRegistered(row: RegisteredRow): RegisteredPlace {
  return {
    meetingId: row.meeting_id,
    startTime: new Date(row.start_time),
    registeredAt: new Date(row.registered_at),
  };
}

function toDetails(row: DetailsRow): MeetingDetails {
  return {
    id: row.id,
    name: row.name,
    startTime: new Date(row.start_time),
    endTime: new Date(row.end_time),
    topic: row.topic,
    description: row.meeting_description,
    location: row.location,
    maxAttendees: row.max_attendees,
    registeredAttendees: row.registered_attendees,
    groupLeader: toLeader(row),
  };
}

function toLeader({ leader_id, first_name, last_name, avatar }: DetailsRow): MeetingDetails['groupLeader'] {
  if (leader_id === null || first_name === null || last_name === null) return null;
  return { id: leader_id, firstName: first_name, lastName: last_name, avatar };
}
