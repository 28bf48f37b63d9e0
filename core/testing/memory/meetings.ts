import { encodeRow, encodeRows } from '../../meetings/encode-row.js';
import { cancelStatus, isSelected, isUpcoming } from '../../meetings/meeting.js';
import type {
  ChangeCursor,
  MeetingChange,
  Meetings,
  MemberAt,
  Places,
} from '../../meetings/ports/meetings.js';
import type { DatasetMeeting } from '../dataset.js';
import { isVisible } from './meeting-changes.js';
import type { State } from './state.js';

/** A page of changes ends when its rows are this long. */
const MAX_PAGE_LENGTH = 524_288;

export function memoryMeetings(state: State): Meetings {
  const visible = (organizationId: number, meetingId: number): DatasetMeeting | null => {
    const meeting = state.meetings.get(meetingId);
    if (meeting === undefined) return null;
    return meeting.organizationId === null || meeting.organizationId === organizationId ? meeting : null;
  };
  const upcoming = ({ organizationId, now }: MemberAt, meetingId: number): DatasetMeeting | null => {
    const meeting = visible(organizationId, meetingId);
    return meeting !== null && isUpcoming(meeting, now) ? meeting : null;
  };
  const places = (member: MemberAt): Places => {
    const registered = [...state.registrations.values()].flatMap(({ meetingId, userId, registeredAt }) => {
      const meeting = userId === member.userId ? upcoming(member, meetingId) : null;
      return meeting === null ? [] : [{ meetingId, startTime: meeting.startTime, registeredAt }];
    });
    const waiting = [...state.waitingPlaces.values()].flatMap(({ meetingId, userId, status }) => {
      const meeting = userId === member.userId ? upcoming(member, meetingId) : null;
      return meeting?.waitList ? [{ meetingId, startTime: meeting.startTime, status }] : [];
    });
    return { registered, waiting };
  };
  return {
    places: async (member) => places(member),
    async placesOf({ organizationId, idpId, now, page }) {
      const member = state.memberships.find(
        (candidate) => candidate.organizationId === organizationId && candidate.idpId === idpId,
      );
      if (member === undefined) return null;
      const found = places({ organizationId, userId: member.userId, now });
      const ids = new Set([...found.registered, ...found.waiting].map(({ meetingId }) => meetingId));
      const inOrder = [...state.meetings.values()].filter(({ id }) => ids.has(id)).sort(byStart);
      const onPage = inOrder.slice(page.offset, page.offset + page.limit);
      const isOnPage = ({ meetingId }: { readonly meetingId: number }): boolean =>
        onPage.some(({ id }) => id === meetingId);
      return {
        registered: found.registered.filter(isOnPage),
        waiting: found.waiting.filter(isOnPage),
        total: inOrder.length,
        details: onPage.map((meeting) => details(state, meeting)),
      };
    },
    async seatsSince({ organizationId, userId, endsAfter }) {
      return [...state.registrations.values()].flatMap(({ meetingId, userId: seated, registeredAt }) => {
        const meeting = seated === userId ? visible(organizationId, meetingId) : null;
        if (meeting === null || meeting.endTime <= endsAfter || meeting.status === cancelStatus) return [];
        return [{ meetingId, startTime: meeting.startTime, registeredAt }];
      });
    },
    async summarize({ organizationId, withServiceMeetings, ranges }) {
      const all = {
        organizationId,
        withServiceMeetings,
        eapOnly: false,
        state: 'any',
        updatedSince: null,
      } as const;
      return ranges.map((starts) => {
        const found = [...state.meetings.values()].filter(
          (meeting) =>
            meeting.status !== cancelStatus && isSelected(meeting, { ...all, starts, now: starts.from }),
        );
        const sum = (of: (meeting: DatasetMeeting) => number): number =>
          found.reduce((total, meeting) => total + of(meeting), 0);
        return {
          meetings: found.length,
          seatsOffered: sum(({ maxAttendees }) => maxAttendees),
          seatsTaken: sum(
            (meeting) =>
              details(state, meeting).registeredAttendees + (state.erasedSeats.get(meeting.id) ?? 0),
          ),
        };
      });
    },
    async details({ organizationId, ids }) {
      return ids.flatMap((id) => {
        const meeting = visible(organizationId, id);
        return meeting === null ? [] : [details(state, meeting)];
      });
    },
    async export({ selection, columns, form, page }) {
      const selected = [...state.meetings.values()]
        .filter((meeting) => isSelected(meeting, selection))
        .sort(byStart);
      const rows = page === null ? selected : selected.slice(page.offset, page.offset + page.limit);
      const chunks = utf8(encodeRows(rows, { columns, form }));
      return { total: page === null ? null : selected.length, chunks };
    },
    async changes({ organizationId, after, limit, columns }) {
      const latest = state.changedAt;
      if (after !== null && (after.since > latest || after.changedAt > latest)) return null;
      const further = [...(state.meetingChanges.get(organizationId) ?? [])]
        .map(([id, changedAt]) => ({ id, changedAt }))
        .sort((one, other) => Number(one.changedAt) - Number(other.changedAt) || one.id - other.id)
        .filter((change) => after === null || isAfter(change, after));
      const changes: MeetingChange[] = [];
      let length = 0;
      for (const { id, changedAt } of further.slice(0, limit)) {
        if (length >= MAX_PAGE_LENGTH) break;
        const meeting = state.meetings.get(id);
        const isSeen = meeting !== undefined && isVisible(state, organizationId, meeting);
        const row = isSeen ? encodeRow(meeting, columns) : null;
        length += row?.length ?? 0;
        changes.push({ id, changedAt, row });
      }
      const hasMore = further.length > changes.length;
      const last = changes.at(-1);
      const next =
        last === undefined || !hasMore
          ? { changedAt: latest, meetingId: Number.MAX_SAFE_INTEGER, since: latest }
          : { changedAt: last.changedAt, meetingId: last.id, since: after?.since ?? latest };
      return { changes, hasMore, next };
    },
  };
}

function isAfter(change: { readonly id: number; readonly changedAt: Date }, place: ChangeCursor): boolean {
  const later = Number(change.changedAt) - Number(place.changedAt);
  return later > 0 || (later === 0 && change.id > place.meetingId);
}

function byStart(one: DatasetMeeting, other: DatasetMeeting): number {
  return one.startTime.getTime() - other.startTime.getTime() || one.id - other.id;
}

function details(state: State, meeting: DatasetMeeting) {
  const { id, name, startTime, endTime, topic, description, location, maxAttendees, groupLeaderId } = meeting;
  const leader = groupLeaderId === null ? undefined : state.users.get(groupLeaderId);
  const registeredAttendees = [...state.registrations.values()].filter(
    ({ meetingId, userId }) => meetingId === id && userId !== groupLeaderId,
  ).length;
  const groupLeader =
    leader === undefined
      ? null
      : { id: leader.id, firstName: leader.firstName, lastName: leader.lastName, avatar: leader.avatar };
  return {
    id,
    name,
    startTime,
    endTime,
    topic,
    description,
    location,
    maxAttendees,
    registeredAttendees,
    groupLeader,
  };
}

async function* utf8(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const text of texts) yield encoder.encode(text);
}
