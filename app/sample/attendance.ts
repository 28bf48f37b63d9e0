import { timestamp } from './days.js';
import { hidesLeader, type MeetingBasics, type MeetingRequest } from './meeting-basics.js';
import type { SampleMember } from './people.js';
import { pick, type Random } from './random.js';
import { sampleFacts } from './sample-facts.js';
import type { SampleRecord } from './sample-record.js';
import { entryAt } from './sample-texts.js';

const WAITING_STATES = ['waiting', 'accepted', 'rejected', 'offered', 'expired'] as const;

export function* attendanceRecords(
  basics: MeetingBasics,
  { index, today, members, random }: MeetingRequest,
): Generator<SampleRecord> {
  const own = members.filter(({ organizationId }) => organizationId === (basics.organizationId ?? 1));
  const waitingCount = basics.waitList ? 1 + Math.floor(random() * 5) : 0;
  const waiting = Array.from({ length: waitingCount }, (_, rank) => entryAt(WAITING_STATES, index + rank));
  const dana = danaIn(basics, index);
  // Leaves room for Dana, for a leader who is not shown as one, and for the seat that is offered.
  const kept = [dana.hasSeat, hidesLeader(index), [...waiting, dana.waiting].includes('offered')];
  const room = Math.max(basics.maxAttendees - kept.filter(Boolean).length, 0);
  const seatCount = basics.waitList ? room : Math.min(Math.floor(random() * basics.maxAttendees), room, 12);
  const drawn = chooseUsers({ own, count: seatCount + waitingCount, leaderId: basics.leaderId, random });

  const createdAt = (): string =>
    timestamp(today, Math.min(basics.day, 0) - 1 - Math.floor(random() * 20), 8 * 60 + (index % 720));
  const registration = (userId: number): SampleRecord => ({
    kind: 'registration',
    meeting_id: basics.id,
    user_id: userId,
    registered_at: createdAt(),
  });
  const waitlistEntry = (userId: number, status: string): SampleRecord => ({
    kind: 'waitlist_entry',
    meeting_id: basics.id,
    user_id: userId,
    status,
    created_at: createdAt(),
    ...(status === 'offered' && { offered_until: timestamp(today, basics.day - 1, 18 * 60) }),
  });

  // Leaders registered for their own meeting do not count as attendees.
  if (random() < 0.5) yield registration(basics.leaderId);
  for (const userId of drawn.slice(0, seatCount)) yield registration(userId);
  for (const [rank, userId] of drawn.slice(seatCount).entries())
    yield waitlistEntry(userId, entryAt(waiting, rank));
  if (dana.hasSeat) yield registration(sampleFacts.member.id);
  if (dana.waiting !== null) yield waitlistEntry(sampleFacts.member.id, dana.waiting);
}

/** Dana has a seat in every tenth meeting and waits in many upcoming ones, in every state, sometimes with a seat too. */
function danaIn({ organizationId, type, day, waitList }: MeetingBasics, index: number) {
  const isHers = (organizationId === null || organizationId === 1) && type !== 'OneToOne';
  const isWaiting = isHers && day > 0 && waitList && index % 4 === 0;
  return {
    hasSeat: isHers && (index % 10 === 0 || day === 0),
    waiting: isWaiting ? entryAt(WAITING_STATES, index / 4) : null,
  };
}

/** Different users, without the leader and Dana, who are added separately. */
function chooseUsers({
  own,
  count,
  leaderId,
  random,
}: {
  readonly own: readonly SampleMember[];
  readonly count: number;
  readonly leaderId: number;
  readonly random: Random;
}): readonly number[] {
  const start = Math.floor(random() * own.length);
  const stride = pick(random, [1, 7, 11, 13]);
  const users = new Set<number>();
  for (let step = 0; step < own.length && users.size < count; step += 1) {
    const { userId } = entryAt(own, start + step * stride);
    if (userId !== leaderId && userId !== sampleFacts.member.id) users.add(userId);
  }
  return [...users];
}
