import type { Dataset } from '../dataset.js';
import { isSameMember } from './memberships.js';
import { noAccessKey } from './organizations.js';
import { existing, type State } from './state.js';

/** Adds the records, or replaces those with the same key. */
export function load(state: State, dataset: Dataset): void {
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
  for (const place of dataset.registrations ?? []) state.registrations.set(placeKey(place), place);
  for (const place of dataset.waitingPlaces ?? []) state.waitingPlaces.set(placeKey(place), place);
}

function placeKey({ meetingId, userId }: { readonly meetingId: number; readonly userId: number }): string {
  return `${meetingId}/${userId}`;
}
