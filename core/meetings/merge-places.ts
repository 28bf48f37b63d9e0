import type { RegisteredPlace, WaitingPlace, WaitingStatus } from './ports/meetings.js';

/** A member's place in a meeting: a seat, a place on the waitlist, or both. */
export interface MergedPlace extends Pick<RegisteredPlace, 'meetingId' | 'startTime'> {
  /** When the member got a seat; null: the member has none. */
  readonly registeredAt: Date | null;
  /** Where the place on the waitlist stands; null: the member is not on it. */
  readonly waitingStatus: WaitingStatus | null;
  /** When the offer of a seat ends; null: not known. */
  readonly offeredUntil: Date | null;
}

/** Returns one entry for each meeting, even if the member has both kinds of place, by start time and then id. */
export function mergePlaces(
  registered: readonly RegisteredPlace[],
  waiting: readonly WaitingPlace[],
): readonly MergedPlace[] {
  const places = new Map<number, MergedPlace>();
  for (const { meetingId, startTime, registeredAt } of registered) {
    places.set(meetingId, { meetingId, startTime, registeredAt, waitingStatus: null, offeredUntil: null });
  }
  for (const { meetingId, startTime, status, offeredUntil = null } of waiting) {
    const registeredAt = places.get(meetingId)?.registeredAt ?? null;
    places.set(meetingId, { meetingId, startTime, registeredAt, waitingStatus: status, offeredUntil });
  }
  return [...places.values()].sort(
    (one, other) => one.startTime.getTime() - other.startTime.getTime() || one.meetingId - other.meetingId,
  );
}
