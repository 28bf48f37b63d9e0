import type { Dataset, DatasetMeeting } from '../dataset.js';
import { isSameMember } from './memberships.js';
import { noAccessKey } from './organizations.js';
import { existing, type State } from './state.js';

/** Adds the records, or replaces those with the same key. */
export function load(state: State, dataset: Dataset): void {
  // A storage with a clock would take the current time. Each load has a later one than the load before.
  state.loadedAt = new Date(state.loadedAt.getTime() + 1);
  const record = startRecordingChanges(state, dataset);
  for (const organization of dataset.organizations ?? []) {
    const stored = state.organizations.get(organization.id);
    const rest = stored ?? { timeZone: null, ...noAccessKey };
    state.organizations.set(organization.id, { ...rest, ...organization });
  }
  for (const user of dataset.users ?? []) {
    state.users.set(user.id, { passwordHash: state.users.get(user.id)?.passwordHash ?? null, ...user });
  }
  for (const membership of dataset.memberships ?? []) {
    const { uuid, createdAt: joinedAt } = existing(state.users.get(membership.userId));
    const before = state.memberships.find((stored) => isSameMember(stored, membership));
    const others = state.memberships.filter((stored) => stored !== before);
    state.memberships = [...others, { uuid, joinedAt, ...before, ...membership }];
  }
  for (const meeting of dataset.meetings ?? []) state.meetings.set(meeting.id, meeting);
  for (const meeting of dataset.changedMeetings ?? []) {
    const stored = state.meetings.get(meeting.id);
    const updatedAt = stored === undefined || !isSame(stored, meeting) ? state.loadedAt : stored.updatedAt;
    state.meetings.set(meeting.id, { ...meeting, updatedAt });
  }
  for (const id of dataset.deletedMeetings ?? []) state.meetings.delete(id);
  for (const place of dataset.registrations ?? []) state.registrations.set(placeKey(place), place);
  for (const place of dataset.waitingPlaces ?? []) state.waitingPlaces.set(placeKey(place), place);
  record();
}

function isSame(one: DatasetMeeting, other: DatasetMeeting): boolean {
  const comparable = ({ updatedAt, eapOrganizationIds, ...meeting }: DatasetMeeting) =>
    JSON.stringify([meeting, [...new Set(eapOrganizationIds)].sort()]);
  return comparable(one) === comparable(other);
}

/** Returns a function to call when everything is stored. */
function startRecordingChanges(state: State, dataset: Dataset): () => void {
  const { organizations = [], meetings = [], changedMeetings = [], deletedMeetings = [] } = dataset;
  const touched = new Set([
    ...[...meetings, ...changedMeetings].map(({ id }) => id),
    ...deletedMeetings,
    ...(organizations.length === 0 ? [] : state.meetings.keys()),
  ]);
  const before = viewsOf(state, touched);
  return () => {
    const after = viewsOf(state, touched);
    for (const [view, { organizationId, meetingId, meeting }] of new Map([...before, ...after])) {
      const [was, is] = [before.get(view), after.get(view)];
      const isUnchanged =
        was !== undefined && is !== undefined && meeting.updatedAt === was.meeting.updatedAt;
      if (isUnchanged) continue;
      const changes = state.meetingChanges.get(organizationId) ?? new Map<number, Date>();
      state.meetingChanges.set(organizationId, changes.set(meetingId, state.loadedAt));
    }
  };
}

interface View {
  readonly organizationId: number;
  readonly meetingId: number;
  readonly meeting: DatasetMeeting;
}

/** Who sees which of the meetings. */
function viewsOf(state: State, ids: ReadonlySet<number>): ReadonlyMap<string, View> {
  const views = new Map<string, View>();
  for (const meetingId of ids) {
    const meeting = state.meetings.get(meetingId);
    if (meeting === undefined) continue;
    const candidates =
      meeting.organizationId === null ? meeting.eapOrganizationIds : [meeting.organizationId];
    for (const organizationId of candidates)
      if (isVisible(state, organizationId, meeting))
        views.set(`${organizationId}/${meetingId}`, { organizationId, meetingId, meeting });
  }
  return views;
}

/** Whether the organization sees the meeting in its exports. */
export function isVisible(state: State, organizationId: number, meeting: DatasetMeeting): boolean {
  if (meeting.organizationId !== null) return meeting.organizationId === organizationId;
  const organization = state.organizations.get(organizationId);
  return organization?.eap === true && meeting.eapOrganizationIds.includes(organizationId);
}

function placeKey({ meetingId, userId }: { readonly meetingId: number; readonly userId: number }): string {
  return `${meetingId}/${userId}`;
}
