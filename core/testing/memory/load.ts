import type { Dataset, DatasetMeeting } from '../dataset.js';
import { startMeetingChange } from './meeting-changes.js';
import { noAccessKey } from './organizations.js';
import { existing, membershipOf, type State } from './state.js';

/** Adds the records, or replaces those with the same key. */
export function load(state: State, dataset: Dataset): void {
  const recordChanges = startMeetingChange(state, touchedBy(state, dataset));
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
    const before = membershipOf(state, membership);
    const others = state.memberships.filter((stored) => stored !== before);
    state.memberships = [...others, { uuid, joinedAt, ...before, ...membership }];
  }
  for (const meeting of dataset.meetings ?? []) state.meetings.set(meeting.id, meeting);
  for (const meeting of dataset.changedMeetings ?? []) {
    const stored = state.meetings.get(meeting.id);
    const updatedAt = stored === undefined || !isSame(stored, meeting) ? state.changedAt : stored.updatedAt;
    state.meetings.set(meeting.id, { ...meeting, updatedAt });
  }
  for (const id of dataset.deletedMeetings ?? []) state.meetings.delete(id);
  for (const place of dataset.registrations ?? []) state.registrations.set(placeKey(place), place);
  for (const place of dataset.waitingPlaces ?? []) state.waitingPlaces.set(placeKey(place), place);
  recordChanges();
}

function isSame(one: DatasetMeeting, other: DatasetMeeting): boolean {
  const comparable = ({ updatedAt, eapOrganizationIds, ...meeting }: DatasetMeeting) =>
    JSON.stringify([meeting, [...new Set(eapOrganizationIds)].sort()]);
  return comparable(one) === comparable(other);
}

/** The meetings whose visibility or content the dataset may change. */
function touchedBy(state: State, dataset: Dataset): ReadonlySet<number> {
  const { organizations = [], meetings = [], changedMeetings = [], deletedMeetings = [] } = dataset;
  return new Set([
    ...[...meetings, ...changedMeetings].map(({ id }) => id),
    ...deletedMeetings,
    ...(organizations.length === 0 ? [] : state.meetings.keys()),
  ]);
}

function placeKey({ meetingId, userId }: { readonly meetingId: number; readonly userId: number }): string {
  return `${meetingId}/${userId}`;
}
