import type {
  MeetingDetails,
  MeetingSummary,
  Meetings,
  MemberAt,
  Places,
  RegisteredPlace,
  WaitingPlace,
  WaitingStatus,
} from '@rollcall/core';
import type { Database } from './database.js';
import { readSightings } from './sightings.js';
import type { SittingFacts, SittingRow } from './sitting-row.js';
import { exportSittings, selected } from './sittings-export.js';

/** The sittings of the company and of the service, but not of another company. */
const VISIBLE = '(sittings.company = ? OR sittings.company IS NULL)';
const UPCOMING = `${VISIBLE} AND sittings.ends > ? AND sittings.state NOT IN ('complete', 'cancel')`;

/** The leader of a sitting takes no seat. */
const SEATS_TAKEN = `(SELECT count(*) FROM seats
  WHERE seats.sitting = sittings.id AND seats.person IS NOT sittings.leader)`;

export function sittingMeetings(database: Database): Meetings {
  return {
    places: async (member) => placesOf(database, member),

    async placesOf({ organizationId, idpId, now, page: { offset, limit } }) {
      const text = 'SELECT person FROM staff WHERE company = ? AND login = ?';
      const staff = database.get<{ readonly person: number }>(text, organizationId, idpId);
      if (staff === null) return null;
      const places = placesOf(database, { organizationId, userId: staff.person, now });
      const starts = new Map(
        [...places.registered, ...places.waiting].map((place) => [place.meetingId, place.startTime]),
      );
      const ids = [...starts.keys()].sort(
        (one, other) => Number(starts.get(one)) - Number(starts.get(other)) || one - other,
      );
      const pageIds = ids.slice(offset, offset + limit);
      return {
        registered: places.registered.filter(({ meetingId }) => pageIds.includes(meetingId)),
        waiting: places.waiting.filter(({ meetingId }) => pageIds.includes(meetingId)),
        total: ids.length,
        details: detailsOf(database, { organizationId, ids: pageIds }),
      };
    },

    async seatsSince({ organizationId, userId, endsAfter }) {
      const rows = database.all<SeatRow>(
        `SELECT sittings.id, sittings.begins, seats.taken FROM seats JOIN sittings ON sittings.id = seats.sitting
        WHERE seats.person = ? AND ${VISIBLE} AND sittings.ends > ? AND sittings.state <> 'cancel'`,
        ...[userId, organizationId, endsAfter.getTime()],
      );
      return rows.map(toPlace);
    },

    details: async (selection) => detailsOf(database, selection),

    export: exportSittings(database),

    changes: readSightings(database),

    async summarize({ organizationId, withServiceMeetings, ranges }) {
      const all = {
        organizationId,
        withServiceMeetings,
        eapOnly: false,
        state: 'any',
        updatedSince: null,
      } as const;
      return database.snapshot(() =>
        ranges.map((starts) => {
          const { text, values } = selected({ ...all, starts, now: starts.from });
          return database.one<MeetingSummary>(
            `SELECT count(*) AS meetings, coalesce(sum(sittings.places), 0) AS seatsOffered,
              coalesce(sum(${SEATS_TAKEN} + sittings.seats_of_nobody), 0) AS seatsTaken
            ${text} AND sittings.state <> 'cancel'`,
            ...values,
          );
        }),
      );
    },
  };
}

function placesOf(database: Database, { organizationId, userId, now }: MemberAt): Places {
  const parameters = [userId, organizationId, now.getTime()];
  const seats = database.all<SeatRow>(
    `SELECT sittings.id, sittings.begins, seats.taken FROM seats JOIN sittings ON sittings.id = seats.sitting
    WHERE seats.person = ? AND ${UPCOMING}`,
    ...parameters,
  );
  const queued = database.all<QueueRow>(
    `SELECT sittings.id, sittings.begins, queue.standing FROM queue JOIN sittings ON sittings.id = queue.sitting
    WHERE queue.person = ? AND ${UPCOMING} AND sittings.queueing`,
    ...parameters,
  );
  return { registered: seats.map(toPlace), waiting: queued.map(toWaitingPlace) };
}

function detailsOf(
  database: Database,
  { organizationId, ids }: { readonly organizationId: number; readonly ids: readonly number[] },
): readonly MeetingDetails[] {
  const rows = database.all<DetailsRow>(
    `SELECT sittings.*, people.given, people.family, people.picture, ${SEATS_TAKEN} AS taken
    FROM sittings LEFT JOIN people ON people.id = sittings.leader
    WHERE ${VISIBLE} AND sittings.id IN (SELECT value FROM json_each(?))`,
    ...[organizationId, JSON.stringify(ids)],
  );
  return rows.map(toDetails);
}

interface SeatRow {
  readonly id: number;
  readonly begins: number;
  readonly taken: number;
}

function toPlace({ id, begins, taken }: SeatRow): RegisteredPlace {
  return { meetingId: id, startTime: new Date(begins), registeredAt: new Date(taken) };
}

interface QueueRow {
  readonly id: number;
  readonly begins: number;
  readonly standing: WaitingStatus;
}

function toWaitingPlace({ id, begins, standing }: QueueRow): WaitingPlace {
  return { meetingId: id, startTime: new Date(begins), status: standing };
}

interface DetailsRow extends SittingRow {
  readonly taken: number;
  readonly given: string | null;
  readonly family: string | null;
  readonly picture: string | null;
}

function toDetails(row: DetailsRow): MeetingDetails {
  const { name, topic, description, location } = JSON.parse(row.facts) as SittingFacts;
  const { id, leader, given, family, picture } = row;
  return {
    id,
    name,
    startTime: new Date(row.begins),
    endTime: new Date(row.ends),
    topic,
    description,
    location,
    maxAttendees: row.places,
    registeredAttendees: row.taken,
    groupLeader:
      leader === null || given === null || family === null
        ? null
        : { id: leader, firstName: given, lastName: family, avatar: picture },
  };
}
