import { sampleName, subjects, turn } from './sample-words.js';

/** One line of a dataset, before it is written out. */
export type SampleRecord = { readonly kind: string } & Readonly<Record<string, unknown>>;

export interface SampleRequest {
  /** Meetings lie in the 12 months before and after this day. */
  readonly now: Date;
  /** The two values that a location can have. */
  readonly locations: readonly [own: string, thirdParty: string];
  readonly members?: number;
  readonly meetings?: number;
  /** The same seed gives the same data, but for the dates. */
  readonly seed?: number;
}

/** Who and what can be relied upon in every sample. */
export const sampleFacts = {
  members: 200,
  meetings: 2000,
  organization: { id: 1, name: 'Northwind Wellness', accessKey: '111111111111111111111111' },
  owner: { id: 1, email: 'owner@northwind.test', firstName: 'Mara', lastName: 'Lindqvist' },
  admin: { id: 2, email: 'admin@northwind.test', firstName: 'Tomás', lastName: 'Álvarez' },
  /** Has many meetings, and waits in every state. */
  member: { id: 3, email: 'member@northwind.test', firstName: 'Dana', lastName: 'Kim', idpId: 'idp-0' },
} as const;

const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60 * 1000;
/** How many days before and after today there are meetings. */
const REACH = 365;
const WAITING_STATES = ['waiting', 'accepted', 'rejected', 'offered', 'expired'] as const;
/** Counsellors who lead the service's own meetings and are members of no organization. */
const COUNSELLORS = 4;

const organizations = [
  { id: 1, name: sampleFacts.organization.name, eap: true, domain: 'northwind.test', share: 0.6 },
  { id: 2, name: 'Øresund Harbour Community Trust', eap: false, domain: 'harbour.test', share: 0.28 },
  {
    id: 3,
    name: 'مركز الأمل – Hope Centre for Counselling, Family Support and Lifelong Learning 希望',
    eap: false,
    domain: 'hope.test',
    share: 0.12,
  },
] as const;

interface Member {
  readonly userId: number;
  readonly organizationId: number;
}

/**
 * The sample: organizations, members, and meetings with registrations and waitlists, in the order in which a
 * reader understands them. Nothing but the dates depends on the day, so that loading it again on another day
 * moves the same meetings.
 */
export function* sampleDataset({
  now,
  locations,
  members: memberCount = sampleFacts.members,
  meetings: meetingCount = sampleFacts.meetings,
  seed = 1,
}: SampleRequest): Generator<SampleRecord> {
  const today = startOfDay(now);
  const chance = createChance(seed);
  const members = allocateMembers(memberCount);

  yield* organizationRecords();
  yield* userRecords({ today, members, memberCount });
  yield* membershipRecords(members);
  for (let index = 0; index < meetingCount; index += 1) {
    yield* meetingRecords({ index, meetingCount, today, locations, members, memberCount, chance });
  }
}

/** The midnight (UTC) that a sample's dates count from, told from the start of its first meeting. */
export function sampleDayOf(firstMeetingStart: Date): Date {
  return new Date(startOfDay(firstMeetingStart).getTime() + REACH * DAY);
}

export function startOfDay(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / DAY) * DAY);
}

// ── Organizations and people ───────────────────────────────────────────────────────────────────────────────

function* organizationRecords(): Generator<SampleRecord> {
  for (const { id, name, eap } of organizations) {
    yield { kind: 'organization', id, name, eap, access_key: String(id).repeat(24) };
  }
}

/** User ids begin at 1; the first three are the people of `sampleFacts`. A few are members of two organizations. */
function allocateMembers(memberCount: number): readonly Member[] {
  const members: Member[] = [];
  for (let userId = 1; userId <= memberCount; userId += 1) {
    const organizationId = userId <= 3 ? 1 : homeOf(userId, memberCount);
    members.push({ userId, organizationId });
    if (organizationId === 1 && userId % 16 === 0) members.push({ userId, organizationId: 2 });
  }
  return members;
}

function homeOf(userId: number, memberCount: number): number {
  const place = userId / memberCount;
  if (place <= organizations[0].share) return 1;
  return place <= organizations[0].share + organizations[1].share ? 2 : 3;
}

function* userRecords({
  today,
  members,
  memberCount,
}: {
  readonly today: Date;
  readonly members: readonly Member[];
  readonly memberCount: number;
}): Generator<SampleRecord> {
  const known = [sampleFacts.owner, sampleFacts.admin, sampleFacts.member];
  const homes = new Map([...members].reverse().map(({ userId, organizationId }) => [userId, organizationId]));
  for (let id = 1; id <= memberCount + COUNSELLORS; id += 1) {
    const { latin, ...name } = sampleName(id);
    const domain = organizations.find((organization) => organization.id === homes.get(id))?.domain;
    const person = known.find((one) => one.id === id) ?? {
      ...name,
      email: `${latin}.${id}@${domain ?? 'counsellors.test'}`,
    };
    yield {
      kind: 'user',
      id,
      uuid: sampleUuid(id),
      email: person.email,
      first_name: person.firstName,
      last_name: person.lastName,
      avatar: null,
      created_at: moment(today, -REACH - 30 - (id % 90), 9 * 60 + id),
    };
  }
}

function* membershipRecords(members: readonly Member[]): Generator<SampleRecord> {
  const seen = new Map<number, number>();
  for (const { userId, organizationId } of members) {
    const place = seen.get(organizationId) ?? 0;
    seen.set(organizationId, place + 1);
    yield {
      kind: 'membership',
      organization_id: organizationId,
      user_id: userId,
      role: roleOf({ userId, organizationId, place }),
      idp_id: idpIdOf({ userId, organizationId, place }),
    };
  }
}

interface Placed extends Member {
  /** How many members the organization had before. */
  readonly place: number;
}

function roleOf({ userId, organizationId, place }: Placed): string {
  if (organizationId === 1) return userId === 1 ? 'owner' : userId === 2 ? 'admin' : 'member';
  return place === 0 ? 'owner' : place === 1 ? 'admin' : 'member';
}

/** Some members have none: they came by an invitation. */
function idpIdOf({ userId, organizationId, place }: Placed): string | null {
  if (organizationId === 1 && userId <= 3) return `idp-${userId % 3}`;
  return place % 17 === 16 ? null : `idp-${place}`;
}

/** The UUID of a sample user: always the same for the same number, and well-formed (version 4). */
export function sampleUuid(id: number): string {
  const chance = createChance(id * 7919);
  const hex = Array.from({ length: 32 }, () => Math.floor(chance() * 16).toString(16)).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

// ── Meetings ───────────────────────────────────────────────────────────────────────────────────────────────

interface MeetingRequest {
  readonly index: number;
  readonly meetingCount: number;
  readonly today: Date;
  readonly locations: readonly [string, string];
  readonly members: readonly Member[];
  readonly memberCount: number;
  readonly chance: Chance;
}

interface Frame {
  readonly id: number;
  /** Days from today. */
  readonly day: number;
  readonly organizationId: number | null;
  readonly leaderId: number;
  readonly type: string;
  readonly maxAttendees: number;
  readonly waitList: boolean;
}

function* meetingRecords(request: MeetingRequest): Generator<SampleRecord> {
  const frame = frameOf(request);
  yield meetingRecord(frame, request);
  yield* placeRecords(frame, request);
}

/** Meetings are spread evenly, so that every day has some. The first one and today's belong to organization 1. */
function frameOf({ index, meetingCount, members, memberCount, chance }: MeetingRequest): Frame {
  const day = meetingCount === 1 ? 0 : Math.round((2 * REACH * index) / (meetingCount - 1)) - REACH;
  const drawn = drawOrganization(chance());
  const organizationId = index === 0 || day === 0 ? 1 : drawn;
  const type = pick(chance, ['Group', 'Group', 'Group', 'Group', 'OneToOne', 'Workshop', 'Webinar']);
  return {
    id: index + 1,
    day,
    organizationId,
    leaderId: drawLeader({ organizationId, members, memberCount, chance }),
    type,
    maxAttendees: type === 'OneToOne' ? 1 : type === 'Webinar' ? 200 : 4 + Math.floor(chance() * 12),
    waitList: chance() < 0.35 || (day >= 0 && index % 5 === 0),
  };
}

function drawOrganization(draw: number): number | null {
  if (draw < 0.14) return null;
  if (draw < 0.64) return 1;
  return draw < 0.88 ? 2 : 3;
}

function drawLeader({
  organizationId,
  members,
  memberCount,
  chance,
}: Pick<MeetingRequest, 'members' | 'memberCount' | 'chance'> & {
  readonly organizationId: number | null;
}): number {
  if (organizationId === null) return memberCount + 1 + Math.floor(chance() * COUNSELLORS);
  const own = members.filter((member) => member.organizationId === organizationId && member.userId !== 3);
  return pick(chance, own.slice(0, 8)).userId;
}

function meetingRecord(frame: Frame, { index, today, locations, chance }: MeetingRequest): SampleRecord {
  const subject = turn(subjects, Math.floor(chance() * subjects.length));
  const minutes = pick(chance, [30, 45, 50, 60, 60, 75, 90, 120, 180]);
  // The first of a day ends late, so that today's list is never empty before the evening.
  const begins = index % 3 === 0 ? 23 * 60 + 45 - minutes : 6 * 60 + 15 * Math.floor(chance() * 56);
  const isService = frame.organizationId === null;
  return {
    kind: 'meeting',
    id: frame.id,
    organization_id: frame.organizationId,
    ...(isService ? { eap_organization_ids: chance() < 0.9 ? [1] : [] } : {}),
    name: turn(subject.names, Math.floor(chance() * 3)),
    meeting_type: frame.type,
    start_time: moment(today, frame.day, begins),
    end_time: moment(today, frame.day, begins + minutes),
    duration: minutes,
    status: drawStatus(frame.day, chance),
    topic: subject.topic,
    special_focus: chance() < 0.6 ? subject.specialFocus : '',
    host: hostOf(frame.leaderId),
    location: pick(chance, locations),
    price: pick(chance, [null, null, null, 0, 5, 12.5, 19.99, 40]),
    max_attendees: frame.maxAttendees,
    meeting_description: subject.description,
    group_leader_id: index % 23 === 22 ? null : frame.leaderId,
    privacy: chance() < 0.2,
    eap: isService ? chance() < 0.85 : frame.organizationId === 1 && chance() < 0.15,
    allow_meeting_donation: chance() < 0.25,
    invitation_only: chance() < 0.15,
    wait_list: frame.waitList,
  };
}

/** A few past ones were never completed; a few of those to come were moved. */
function drawStatus(day: number, chance: Chance): string {
  const draw = chance();
  if (day === 0) return 'scheduled';
  if (day < 0) return draw < 0.86 ? 'complete' : draw < 0.97 ? 'cancel' : 'scheduled';
  return draw < 0.91 ? 'scheduled' : draw < 0.98 ? 'cancel' : 'rescheduled';
}

function hostOf(leaderId: number): string {
  const known = [sampleFacts.owner, sampleFacts.admin].find(({ id }) => id === leaderId);
  const { firstName, lastName } = known ?? sampleName(leaderId);
  return `${firstName} ${[...lastName][0] ?? ''}.`;
}

// ── Registrations and waiting places ───────────────────────────────────────────────────────────────────────

function* placeRecords(
  frame: Frame,
  { index, today, members, chance }: MeetingRequest,
): Generator<SampleRecord> {
  const own = members.filter(({ organizationId }) => organizationId === (frame.organizationId ?? 1));
  const wanted = frame.waitList ? frame.maxAttendees : Math.floor(chance() * frame.maxAttendees);
  // Room is left for Dana, and for a leader who is not shown as one.
  const seats = Math.min(wanted, Math.max(frame.maxAttendees - 2, 0), 12);
  const waiting = frame.waitList ? 1 + Math.floor(chance() * 5) : chance() < 0.02 ? 1 : 0;
  const drawn = drawUsers({ own, count: seats + waiting, leaderId: frame.leaderId, chance });

  const asked = (): string =>
    moment(today, Math.min(frame.day, 0) - 1 - Math.floor(chance() * 20), 8 * 60 + (index % 720));
  const seat = (userId: number): SampleRecord => ({
    kind: 'registration',
    meeting_id: frame.id,
    user_id: userId,
    registered_at: asked(),
  });
  const place = (userId: number, turnOf: number): SampleRecord => ({
    kind: 'waitlist_entry',
    meeting_id: frame.id,
    user_id: userId,
    status: turn(WAITING_STATES, turnOf),
    created_at: asked(),
  });

  // A leader who sits in the own meeting is not counted as an attendee.
  if (chance() < 0.5) yield seat(frame.leaderId);
  for (const userId of drawn.slice(0, seats)) yield seat(userId);
  for (const [turnOf, userId] of drawn.slice(seats).entries()) yield place(userId, index + turnOf);
  yield* memberPlaces({ frame, index, seat, place });
}

/** Dana has a seat in every tenth meeting to come and waits in many, once in each state and sometimes with a seat as well. */
function* memberPlaces({
  frame,
  index,
  seat,
  place,
}: {
  readonly frame: Frame;
  readonly index: number;
  readonly seat: (userId: number) => SampleRecord;
  readonly place: (userId: number, turnOf: number) => SampleRecord;
}): Generator<SampleRecord> {
  const { id } = sampleFacts.member;
  const isHers = frame.organizationId === null || frame.organizationId === 1;
  if (!isHers || frame.type === 'OneToOne') return;
  if (index % 10 === 0 || frame.day === 0) yield seat(id);
  if (frame.day > 0 && frame.waitList && index % 4 === 0) yield place(id, index / 4);
}

/** Different users, and neither the leader nor Dana, whose places are given out apart. */
function drawUsers({
  own,
  count,
  leaderId,
  chance,
}: {
  readonly own: readonly Member[];
  readonly count: number;
  readonly leaderId: number;
  readonly chance: Chance;
}): readonly number[] {
  const start = Math.floor(chance() * own.length);
  const stride = pick(chance, [1, 7, 11, 13]);
  const users = new Set<number>();
  for (let step = 0; step < own.length && users.size < count; step += 1) {
    const { userId } = turn(own, start + step * stride);
    if (userId !== leaderId && userId !== sampleFacts.member.id) users.add(userId);
  }
  return [...users];
}

// ── Chance that repeats itself ─────────────────────────────────────────────────────────────────────────────

/** The next number from 0 to below 1. */
export type Chance = () => number;

/** Mulberry32: small, fast, and the same everywhere. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<Entry>(chance: Chance, entries: readonly Entry[]): Entry {
  return turn(entries, Math.floor(chance() * entries.length));
}

function moment(today: Date, days: number, minutes: number): string {
  return new Date(today.getTime() + days * DAY + minutes * MINUTE).toISOString();
}
