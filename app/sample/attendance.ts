import { timestamp } from './days.js';
import type { MeetingBasics, MeetingRequest } from './meeting-basics.js';
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
  const wanted = basics.waitList ? basics.maxAttendees : Math.floor(random() * basics.maxAttendees);
  // Leaves room for Dana, and for a leader who is not shown as one.
  const seatCount = Math.min(wanted, Math.max(basics.maxAttendees - 2, 0), 12);
  const waitingCount = basics.waitList ? 1 + Math.floor(random() * 5) : random() < 0.02 ? 1 : 0;
  const drawn = chooseUsers({ own, count: seatCount + waitingCount, leaderId: basics.leaderId, random });

  const createdAt = (): string =>
    timestamp(today, Math.min(basics.day, 0) - 1 - Math.floor(random() * 20), 8 * 60 + (index % 720));
  const registration = (userId: number): SampleRecord => ({
    kind: 'registration',
    meeting_id: basics.id,
    user_id: userId,
    registered_at: createdAt(),
  });
  const waitlistEntry = (userId: number, rank: number): SampleRecord => ({
    kind: 'waitlist_entry',
    meeting_id: basics.id,
    user_id: userId,
    status: entryAt(WAITING_STATES, rank),
    created_at: createdAt(),
  });

  // Leaders registered for their own meeting do not count as attendees.
  if (random() < 0.5) yield registration(basics.leaderId);
  for (const userId of drawn.slice(0, seatCount)) yield registration(userId);
  for (const [rank, userId] of drawn.slice(seatCount).entries()) yield waitlistEntry(userId, index + rank);
  yield* danaRecords({ basics, index, registration, waitlistEntry });
}

/** Dana has a seat in every tenth meeting and waits in many upcoming ones, in every state, sometimes with a seat too. */
function* danaRecords({
  basics,
  index,
  registration,
  waitlistEntry,
}: {
  readonly basics: MeetingBasics;
  readonly index: number;
  readonly registration: (userId: number) => SampleRecord;
  readonly waitlistEntry: (userId: number, rank: number) => SampleRecord;
}): Generator<SampleRecord> {
  const { id } = sampleFacts.member;
  const isHers = basics.organizationId === null || basics.organizationId === 1;
  if (!isHers || basics.type === 'OneToOne') return;
  if (index % 10 === 0 || basics.day === 0) yield registration(id);
  if (basics.day > 0 && basics.waitList && index % 4 === 0) yield waitlistEntry(id, index / 4);
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
