import { encodeRow, encodeRows } from '../../meetings/encode-row.js';
import { cancelStatus, isSelected, isUpcoming, searchedText } from '../../meetings/meeting.js';
import type {
  Attendee,
  ChangeCursor,
  ListedMeeting,
  MeetingChange,
  Meetings,
  MemberAt,
  Places,
} from '../../meetings/ports/meetings.js';
import { searchPattern, withoutAccents } from '../../values/search-pattern.js';
import type { DatasetMeeting } from '../dataset.js';
import { isVisible } from './meeting-changes.js';
import { membershipIn, membershipOf, type State } from './state.js';

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
  const places = ({
    words,
    ...member
  }: MemberAt & { readonly words?: readonly string[] | undefined }): Places => {
    const isFound = hasWords(words);
    const registered = [...state.registrations.values()].flatMap(({ meetingId, userId, registeredAt }) => {
      const meeting = userId === member.userId ? upcoming(member, meetingId) : null;
      if (meeting === null || !isFound(meeting)) return [];
      return [{ meetingId, startTime: meeting.startTime, registeredAt }];
    });
    const waiting = [...state.waitingPlaces.values()].flatMap(
      ({ meetingId, userId, status, offeredUntil = null }) => {
        const meeting = userId === member.userId ? upcoming(member, meetingId) : null;
        if (!meeting?.waitList || !isFound(meeting)) return [];
        return [{ meetingId, startTime: meeting.startTime, status, offeredUntil }];
      },
    );
    return { registered, waiting };
  };
  return {
    places: async (member) => places(member),
    async placesOf({ organizationId, idpId, now, page }) {
      const member = membershipIn(state, organizationId, (one) => one.idpId === idpId);
      if (member === undefined) return null;
      const found = places({ organizationId, userId: member.userId, now });
      const ids = new Set([...found.registered, ...found.waiting].map(({ meetingId }) => meetingId));
      const inOrder = [...state.meetings.values()].filter(({ id }) => ids.has(id)).sort(byStart);
      const onPage = inOrder.slice(page.offset, page.offset + page.limit);
      const isOnPage = ({ meetingId }: { readonly meetingId: number }): boolean =>
        onPage.some(({ id }) => id === meetingId);
      return {
        registered: found.registered.filter(isOnPage),
        waiting: found.waiting.filter(isOnPage).map(({ offeredUntil: _, ...place }) => place),
        total: inOrder.length,
        details: onPage.map((meeting) => details(state, meeting)),
      };
    },
    async seatsSince({ organizationId, userId, endsAfter, words }) {
      const isFound = hasWords(words);
      return [...state.registrations.values()].flatMap(({ meetingId, userId: seated, registeredAt }) => {
        const meeting = seated === userId ? visible(organizationId, meetingId) : null;
        if (meeting === null || meeting.endTime <= endsAfter || meeting.status === cancelStatus) return [];
        if (!isFound(meeting)) return [];
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
          seatsTaken: sum((meeting) => listed(state, meeting).seatsTaken),
        };
      });
    },
    async details({ organizationId, ids }) {
      return ids.flatMap((id) => {
        const meeting = visible(organizationId, id);
        return meeting === null ? [] : [details(state, meeting)];
      });
    },
    async list({ selection, words, order, page }) {
      const isFound = hasWords(words);
      const selected = [...state.meetings.values()]
        .filter((meeting) => isSelected(meeting, selection) && isFound(meeting))
        .sort((one, other) => (order === 'earliest' ? byStart(one, other) : byStart(other, one)));
      const onPage = selected.slice(page.offset, page.offset + page.limit);
      return {
        total: selected.length,
        canceled: selected.filter(({ status }) => status === cancelStatus).length,
        meetings: onPage.map((meeting) => listed(state, meeting)),
      };
    },
    async find({ organizationId, withServiceMeetings, meetingId }) {
      const meeting = state.meetings.get(meetingId);
      const everything = { eapOnly: false, state: 'any', updatedSince: null, now: new Date(0) } as const;
      const starts = { from: null, before: null };
      const selection = { organizationId, withServiceMeetings, starts, ...everything };
      if (meeting === undefined || !isSelected(meeting, selection)) return null;
      const { organizationId: _, eapOrganizationIds, ...facts } = meeting;
      const { groupLeader } = details(state, meeting);
      return {
        ...{ ...facts, ...listed(state, meeting) },
        groupLeader: groupLeader && nameOf(groupLeader),
      };
    },
    async attendees({ organizationId, meetingId, offset, limit }) {
      const meeting = state.meetings.get(meetingId);
      if (meeting?.organizationId !== organizationId) return { attendees: [], total: 0, seated: 0 };
      const isMember = ({ userId }: { readonly userId: number }) =>
        membershipOf(state, { organizationId, userId }) !== undefined;
      const seats = seatsIn(state, meeting)
        .filter(isMember)
        .sort(
          (one, other) => Number(one.registeredAt) - Number(other.registeredAt) || one.userId - other.userId,
        );
      const waiting = waitingFor(state, meeting)
        .filter(isMember)
        .sort((one, other) => Number(one.createdAt) - Number(other.createdAt) || one.userId - other.userId);
      const all: readonly Attendee[] = [
        ...seats.map(({ userId, registeredAt }) => ({
          ...{ user: userNamed(state, userId), registeredAt, waitingStatus: null, offeredUntil: null },
        })),
        ...waiting.map(({ userId, status, offeredUntil = null }) => ({
          ...{ user: userNamed(state, userId), registeredAt: null, waitingStatus: status, offeredUntil },
        })),
      ];
      return { attendees: all.slice(offset, offset + limit), total: all.length, seated: seats.length };
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
          ? { changedAt: latest, meetingId: Number.MAX_SAFE_INTEGER, since: latest, cuts: 0 }
          : { changedAt: last.changedAt, meetingId: last.id, since: after?.since ?? latest, cuts: 0 };
      return { changes, hasMore, next };
    },
  };
}

function hasWords(words: readonly string[] = []): (meeting: DatasetMeeting) => boolean {
  const patterns = words.map(searchPattern);
  return (meeting) => {
    const text = withoutAccents(searchedText(meeting));
    return patterns.every((pattern) => pattern.test(text));
  };
}

/** The seats of a meeting, without that of its group leader. */
function seatsIn(state: State, { id, groupLeaderId }: DatasetMeeting) {
  return [...state.registrations.values()].filter(
    ({ meetingId, userId }) => meetingId === id && userId !== groupLeaderId,
  );
}

/** The places on the waitlist of people without a seat. */
function waitingFor(state: State, { id, waitList }: DatasetMeeting) {
  const hasSeat = (user: number) =>
    [...state.registrations.values()].some(({ meetingId, userId }) => meetingId === id && userId === user);
  return [...state.waitingPlaces.values()].filter(
    ({ meetingId, userId }) => waitList && meetingId === id && !hasSeat(userId),
  );
}

function listed(state: State, meeting: DatasetMeeting): ListedMeeting {
  const { id, name, startTime, endTime, status, topic, host, maxAttendees, privacy, organizationId } =
    meeting;
  const waiting = waitingFor(state, meeting).filter(
    ({ status: place }) => place === 'waiting' || place === 'offered',
  );
  return {
    ...{ id, name, startTime, endTime, status, topic, host, maxAttendees, privacy },
    seatsTaken: seatsIn(state, meeting).length + (state.erasedSeats.get(id) ?? 0),
    waiting: waiting.length,
    offered: waiting.filter(({ status: place }) => place === 'offered').length,
    isOfService: organizationId === null,
  };
}

function userNamed(state: State, id: number): Attendee['user'] {
  const user = state.users.get(id);
  if (user === undefined) throw new Error(`there is no user ${id}`);
  return nameOf(user);
}

function nameOf({ id, firstName, lastName }: Attendee['user']): Attendee['user'] {
  return { id, firstName, lastName };
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
  const showsNames = meeting.organizationId !== null && !meeting.privacy;
  const leader = groupLeaderId === null ? undefined : state.users.get(groupLeaderId);
  const registeredAttendees = seatsIn(state, meeting).length;
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
    showsNames,
  };
}

async function* utf8(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const text of texts) yield encoder.encode(text);
}
