import { type Chance, pick } from './chance.js';
import { timestamp } from './days.js';
import type { MeetingFrame, MeetingRequest } from './meeting-frame.js';
import type { SampleMember } from './people.js';
import { sampleFacts } from './sample-facts.js';
import type { SampleRecord } from './sample-record.js';
import { entryAt } from './words.js';

const WAITING_STATES = ['waiting', 'accepted', 'rejected', 'offered', 'expired'] as const;

export function* placeRecords(
  frame: MeetingFrame,
  { index, today, members, chance }: MeetingRequest,
): Generator<SampleRecord> {
  const own = members.filter(({ organizationId }) => organizationId === (frame.organizationId ?? 1));
  const wanted = frame.waitList ? frame.maxAttendees : Math.floor(chance() * frame.maxAttendees);
  // Leaves room for Dana, and for a leader who is not shown as one.
  const seatCount = Math.min(wanted, Math.max(frame.maxAttendees - 2, 0), 12);
  const waitingCount = frame.waitList ? 1 + Math.floor(chance() * 5) : chance() < 0.02 ? 1 : 0;
  const drawn = drawUsers({ own, count: seatCount + waitingCount, leaderId: frame.leaderId, chance });

  const askedAt = (): string =>
    timestamp(today, Math.min(frame.day, 0) - 1 - Math.floor(chance() * 20), 8 * 60 + (index % 720));
  const seat = (userId: number): SampleRecord => ({
    kind: 'registration',
    meeting_id: frame.id,
    user_id: userId,
    registered_at: askedAt(),
  });
  const place = (userId: number, rank: number): SampleRecord => ({
    kind: 'waitlist_entry',
    meeting_id: frame.id,
    user_id: userId,
    status: entryAt(WAITING_STATES, rank),
    created_at: askedAt(),
  });

  // Leaders registered for their own meeting do not count as attendees.
  if (chance() < 0.5) yield seat(frame.leaderId);
  for (const userId of drawn.slice(0, seatCount)) yield seat(userId);
  for (const [rank, userId] of drawn.slice(seatCount).entries()) yield place(userId, index + rank);
  yield* memberPlaces({ frame, index, seat, place });
}

/** Dana has a seat in every tenth meeting and waits in many upcoming ones, in every state, sometimes with a seat too. */
function* memberPlaces({
  frame,
  index,
  seat,
  place,
}: {
  readonly frame: MeetingFrame;
  readonly index: number;
  readonly seat: (userId: number) => SampleRecord;
  readonly place: (userId: number, rank: number) => SampleRecord;
}): Generator<SampleRecord> {
  const { id } = sampleFacts.member;
  const isHers = frame.organizationId === null || frame.organizationId === 1;
  if (!isHers || frame.type === 'OneToOne') return;
  if (index % 10 === 0 || frame.day === 0) yield seat(id);
  if (frame.day > 0 && frame.waitList && index % 4 === 0) yield place(id, index / 4);
}

/** Different users, without the leader and Dana, who get their places separately. */
function drawUsers({
  own,
  count,
  leaderId,
  chance,
}: {
  readonly own: readonly SampleMember[];
  readonly count: number;
  readonly leaderId: number;
  readonly chance: Chance;
}): readonly number[] {
  const start = Math.floor(chance() * own.length);
  const stride = pick(chance, [1, 7, 11, 13]);
  const users = new Set<number>();
  for (let step = 0; step < own.length && users.size < count; step += 1) {
    const { userId } = entryAt(own, start + step * stride);
    if (userId !== leaderId && userId !== sampleFacts.member.id) users.add(userId);
  }
  return [...users];
}
