import type { Attendee, FoundMeeting, Meetings, WaitingStatus } from '@rollcall/core';
import { type Database, timestampOrNull } from '../engine/database.js';
import { raw, SQL } from '../engine/sql-text.js';
import { selectOne } from '../engine/statements.js';
import { stored, storedIn } from '../engine/stored.js';
import { listedMeeting } from './list-meetings.js';

const facts = storedIn('meetings', {
  ...{ meetingType: 'text', duration: 'whole', specialFocus: 'text', location: 'text', price: priceOrNull },
  ...{ description: ['meeting_description', 'textOrNull'], groupLeaderId: 'wholeOrNull', eap: 'flag' },
  ...{ allowMeetingDonation: 'flag', invitationOnly: 'flag', waitList: 'flag', updatedAt: 'time' },
});

/** A price is stored as the text of a JSON number. */
function priceOrNull(value: string | null): number | null {
  return value === null ? null : Number(value);
}

const leader = storedIn(
  { table: 'leaders', prefix: 'leader_' },
  { id: 'whole', firstName: 'text', lastName: 'text' },
);

const foundMeeting = stored<FoundMeeting>(
  `${listedMeeting.columns}, ${facts.columns}, ${leader.columns}`,
  (row) => ({
    ...listedMeeting.read(row),
    ...facts.read(row),
    groupLeader: row.leader_id === null ? null : leader.read(row),
  }),
);

export function findMeeting({ readAside }: Database): Meetings['find'] {
  return ({ organizationId, withServiceMeetings, meetingId }) =>
    foundMeeting.first(readAside(organizationId))`
      FROM meetings LEFT JOIN users AS leaders ON leaders.id = meetings.group_leader_id
      WHERE meetings.id = ${meetingId}
        AND (meetings.organization_id = ${organizationId}${withServiceMeetings ? orTied(organizationId) : raw('')})`;
}

const orTied = (organizationId: number) => SQL` OR meetings.organization_id IS NULL AND EXISTS (
    SELECT 1 FROM service_meeting_organizations AS ties
    WHERE ties.meeting_id = meetings.id AND ties.organization_id = ${organizationId}
  )`;

const attendee = stored<Attendee>(
  `users.id, users.first_name, users.last_name, people.registered_at, people.status, people.offered_until`,
  ({ id, first_name, last_name, registered_at, status, offered_until }) => ({
    user: { id: id as number, firstName: String(first_name), lastName: String(last_name) },
    registeredAt: timestampOrNull(registered_at as string | null),
    waitingStatus: status as WaitingStatus | null,
    offeredUntil: timestampOrNull(offered_until as string | null),
  }),
);

/** The people in a meeting, who are few beside those of the organization. `CROSS JOIN` makes SQLite begin with them. */
const peopleIn = (organizationId: number, meetingId: number) => SQL`FROM (
      SELECT registrations.user_id, registrations.registered_at, NULL AS status,
        NULL AS offered_until, registrations.registered_at AS since
      FROM meetings CROSS JOIN registrations ON registrations.meeting_id = meetings.id
      WHERE meetings.id = ${meetingId} AND meetings.organization_id = ${organizationId}
        AND (meetings.group_leader_id IS NULL OR registrations.user_id <> meetings.group_leader_id)
      UNION ALL
      SELECT entries.user_id, NULL, entries.status, entries.offered_until, entries.created_at
      FROM meetings CROSS JOIN waitlist_entries AS entries ON entries.meeting_id = meetings.id
      WHERE meetings.id = ${meetingId} AND meetings.organization_id = ${organizationId}
        AND meetings.wait_list AND NOT EXISTS (
        SELECT 1 FROM registrations
        WHERE registrations.meeting_id = entries.meeting_id AND registrations.user_id = entries.user_id
      )
    ) AS people
    CROSS JOIN memberships
      ON memberships.organization_id = ${organizationId} AND memberships.user_id = people.user_id`;

export function readAttendees({ readAside }: Database): Meetings['attendees'] {
  return async ({ organizationId, meetingId, offset, limit }) => {
    const aside = readAside(organizationId);
    const people = peopleIn(organizationId, meetingId);
    const attendees = await attendee.all(aside)`${people} CROSS JOIN users ON users.id = people.user_id
      ORDER BY people.status IS NOT NULL, people.since, people.user_id LIMIT ${limit} OFFSET ${offset}`;
    const counted = await selectOne<{ readonly total: number; readonly seated: number }>(aside)`
      SELECT count(*) AS total, count(people.registered_at) AS seated ${people}`;
    return { attendees, total: Number(counted?.total), seated: Number(counted?.seated) };
  };
}
