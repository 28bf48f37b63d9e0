import { leaderName } from '@rollcall/core/rules';
import { createRandom, pick, type Random } from './random.js';
import type { SampleRecord } from './sample-record.js';
import { sampleName, subjects, topicOf } from './sample-texts.js';
import { sampleUuid } from './sample-uuid.js';

/** The size of a dataset for trials. */
export interface TrialSize {
  readonly meetings: number;
  readonly members: number;
  readonly organizations: number;
  /** At most `meetings` times `members`: one seat for each member in each meeting. */
  readonly registrations: number;
}

export interface TrialRequest extends TrialSize {
  /** The same seed gives the same data. */
  readonly seed: number;
  /** One meeting in twenty is after this time, all others before. */
  readonly now: Date;
  /** The two values that a location can have. */
  readonly locations: readonly [own: string, thirdParty: string];
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Meetings lie in this many days before `now`, and in a twentieth of that after it. */
const PAST_DAYS = 3 * 365;
const UPCOMING_SHARE = 1 / 20;
/** One meeting in this many is the service's own. */
const SERVICE_MEETING_INTERVAL = 25;
/** UTF-16 units of a description. They give about 705 bytes for a row of an export. */
const DESCRIPTION_LENGTH = { min: 186, max: 394 } as const;

/**
 * A dataset of any size, generated in constant memory, for trials and benchmarks: organizations, users and
 * memberships, then each meeting with its registrations and waitlist entries. Members and meetings are spread evenly
 * over the organizations. Registered users are members of the meeting's organization, unless it has too few.
 */
export function* trialDataset(request: TrialRequest): Generator<SampleRecord> {
  const random = createRandom(request.seed);
  yield* organizationRecords(request);
  yield* peopleRecords(request);
  for (let index = 0; index < request.meetings; index += 1) {
    const meeting = meetingRecord(request, index, random);
    yield meeting;
    yield* attendanceRecords({ request, index, meeting, random });
  }
}

/** Organizations have no access keys. Anyone could compute them, and use them on the database that imports the trial. */
function* organizationRecords({ organizations }: TrialRequest): Generator<SampleRecord> {
  for (let id = 1; id <= organizations; id += 1) {
    const { lastName } = sampleName(id);
    yield {
      kind: 'organization',
      id,
      name: `${lastName} Wellness ${id}`,
      eap: id % 2 === 1,
    };
  }
}

function* peopleRecords({ members, organizations, now }: TrialRequest): Generator<SampleRecord> {
  for (let id = 1; id <= members; id += 1) {
    const { firstName, lastName, latin } = sampleName(id);
    yield {
      kind: 'user',
      id,
      uuid: sampleUuid(id),
      email: `${latin}.${id}@trial.test`,
      first_name: firstName,
      last_name: lastName,
      avatar: null,
      created_at: timestamp(now, -PAST_DAYS * DAY_MS - (id % DAY_MS)),
    };
    yield {
      kind: 'membership',
      organization_id: organizationIdOf(id, organizations),
      user_id: id,
      role: id <= organizations ? 'owner' : 'member',
      idp_id: `idp-${id}`,
    };
  }
}

function organizationIdOf(userId: number, organizations: number): number {
  return 1 + ((userId - 1) % organizations);
}

/** The users who can be registered for a meeting. */
interface Pool {
  readonly size: number;
  readonly userAt: (position: number) => number;
}

/** The members of the organization; all users for the service's own meetings and if the organization has too few. */
function poolOf(
  { members, organizations }: TrialRequest,
  organizationId: number | null,
  atLeast: number,
): Pool {
  const size = organizationId === null ? 0 : Math.ceil((members - organizationId + 1) / organizations);
  if (organizationId !== null && size >= atLeast) {
    return { size, userAt: (position) => organizationId + (position % size) * organizations };
  }
  return { size: members, userAt: (position) => 1 + (position % members) };
}

type Meeting = SampleRecord & {
  readonly organization_id: number | null;
  readonly wait_list: boolean;
  readonly start_time: string;
};

function meetingRecord(request: TrialRequest, index: number, random: Random): Meeting {
  const { meetings, organizations, locations, now } = request;
  const isService = index % SERVICE_MEETING_INTERVAL === SERVICE_MEETING_INTERVAL - 1;
  const organizationId = isService ? null : 1 + (index % organizations);
  const position = (index + random()) / meetings - (1 - UPCOMING_SHARE);
  const start = Math.round((position * PAST_DAYS * DAY_MS) / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
  const minutes = pick(random, [30, 45, 60, 60, 90, 120]);
  const subject = pick(random, subjects);
  const leader = poolOf(request, organizationId, 1).userAt(Math.floor(random() * 8));
  const { firstName, lastName } = sampleName(leader);
  return {
    kind: 'meeting',
    id: index + 1,
    organization_id: organizationId,
    ...(isService ? { eap_organization_ids: [1 + (index % organizations)] } : {}),
    name: `${pick(random, subject.names)} ${index + 1}`,
    meeting_type: pick(random, ['Group', 'Group', 'Group', 'OneToOne', 'Workshop', 'Webinar']),
    start_time: timestamp(now, start),
    end_time: timestamp(now, start + minutes * MINUTE_MS),
    duration: minutes,
    status: statusOf({ isCompleted: start + minutes * MINUTE_MS <= 0, draw: random() }),
    ...topicOf(subject),
    host: leaderName({ firstName, lastName }),
    location: pick(random, locations),
    price: pick(random, [null, null, 0, 5, 12.5, 19.99]),
    max_attendees: 4 + Math.floor(random() * 60),
    meeting_description: describe(random),
    group_leader_id: index % 23 === 22 ? null : leader,
    privacy: random() < 0.2,
    eap: isService || random() < 0.1,
    allow_meeting_donation: random() < 0.25,
    invitation_only: random() < 0.15,
    wait_list: random() < 0.3,
  };
}

function statusOf({ isCompleted, draw }: { readonly isCompleted: boolean; readonly draw: number }): string {
  if (isCompleted) return draw < 0.95 ? 'complete' : 'cancel';
  return draw < 0.93 ? 'scheduled' : draw < 0.98 ? 'cancel' : 'rescheduled';
}

const sentences = [
  'A quiet hour for everybody who comes; nobody has to speak, and tea and time are provided. ',
  'We practise three small exercises that fit into a coffee break and last for a week. ',
  'Bring what moves you, "quotes" and commas included; what is said here stays here. ',
  'For those who care for somebody – über Jahre hinweg – and are seldom asked how they are. ',
  'Newcomers are welcome at every meeting.\nPlease be there five minutes before we begin. ',
].join('');
/** Long enough for every description, wherever it starts. */
const prose = sentences.repeat(1 + Math.ceil(DESCRIPTION_LENGTH.max / sentences.length));

function describe(random: Random): string {
  const { min, max } = DESCRIPTION_LENGTH;
  const length = min + Math.floor(random() * (max - min));
  const start = Math.floor(random() * sentences.length);
  return prose.slice(start, start + length);
}

/** Registrations are spread evenly. A waiting user has no seat in the same meeting. */
function* attendanceRecords({
  request,
  index,
  meeting,
  random,
}: {
  readonly request: TrialRequest;
  readonly index: number;
  readonly meeting: Meeting;
  readonly random: Random;
}): Generator<SampleRecord> {
  const { registrations, meetings, now } = request;
  const seats = shareOf(registrations, meetings, index + 1) - shareOf(registrations, meetings, index);
  const pool = poolOf(request, meeting.organization_id, seats);
  const first = Math.floor(random() * pool.size);
  const meeting_id = index + 1;
  const asked = Math.min(0, Date.parse(meeting.start_time) - now.getTime()) - DAY_MS;
  for (let seat = 0; seat < seats; seat += 1) {
    const registered_at = timestamp(now, asked - Math.floor(random() * 20 * DAY_MS));
    yield { kind: 'registration', meeting_id, user_id: pool.userAt(first + seat), registered_at };
  }
  const isFull = seats >= pool.size;
  if (!meeting.wait_list || isFull || Date.parse(meeting.start_time) < now.getTime()) return;
  const status = pick(random, ['waiting', 'accepted', 'rejected', 'offered', 'expired']);
  const user_id = pool.userAt(first + seats);
  const end = Date.parse(meeting.start_time) - now.getTime() - DAY_MS;
  const offer = status === 'offered' ? { offered_until: timestamp(now, end) } : {};
  yield { kind: 'waitlist_entry', meeting_id, user_id, status, created_at: timestamp(now, asked), ...offer };
}

/** The part of `total` that falls to the first `count` of `all`. */
function shareOf(total: number, all: number, count: number): number {
  return Math.floor((total * count) / all);
}

function timestamp(now: Date, offset: number): string {
  return new Date(now.getTime() + offset).toISOString();
}
