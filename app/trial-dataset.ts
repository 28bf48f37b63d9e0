import { type Chance, createChance, pick, type SampleRecord, sampleUuid } from './sample.js';
import { sampleName, subjects } from './sample-words.js';

/** How big a dataset for trials is. */
export interface TrialSize {
  readonly meetings: number;
  readonly members: number;
  readonly organizations: number;
  /** At most `meetings` times `members`, as nobody has two seats in a meeting. */
  readonly registrations: number;
}

export interface TrialRequest extends TrialSize {
  /** The same seed gives the same data. */
  readonly seed: number;
  /** Most meetings are before it, and one in twenty after. */
  readonly now: Date;
  /** The two values that a location can have. */
  readonly locations: readonly [own: string, thirdParty: string];
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Meetings lie in so many days before `now`, and in a twentieth of them after. */
const PAST_DAYS = 3 * 365;
const TO_COME = 1 / 20;
/** Every so-manieth meeting is the service's own. */
const SERVICE_MEETING = 25;
/** UTF-16 units of a description: with these the row of an export has about 705 bytes. */
const DESCRIPTION = { shortest: 186, longest: 394 } as const;

/**
 * A dataset of any size in flat memory, for trials and benchmarks: organizations, users and memberships, then
 * each meeting with its places. Every organization has its share of members and meetings; a seat is a member's
 * of the organization, unless it has too few.
 */
export function* trialDataset(request: TrialRequest): Generator<SampleRecord> {
  const chance = createChance(request.seed);
  yield* organizationRecords(request);
  yield* peopleRecords(request);
  for (let index = 0; index < request.meetings; index += 1) {
    const meeting = meetingRecord(request, index, chance);
    yield meeting;
    yield* placeRecords({ request, index, meeting, chance });
  }
}

/** Without access keys: one that everybody can know opens the database that the trial is imported into. */
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
      created_at: moment(now, -PAST_DAYS * DAY - (id % DAY)),
    };
    yield {
      kind: 'membership',
      organization_id: homeOf(id, organizations),
      user_id: id,
      role: id <= organizations ? 'owner' : 'member',
      idp_id: `idp-${id}`,
    };
  }
}

function homeOf(userId: number, organizations: number): number {
  return 1 + ((userId - 1) % organizations);
}

/** The members of an organization: how many there are, and which user is the so-manieth. */
interface Pool {
  readonly size: number;
  readonly userAt: (place: number) => number;
}

/** All members for the service's own meetings, or where the organization alone has fewer than it takes. */
function poolOf(
  { members, organizations }: TrialRequest,
  organizationId: number | null,
  atLeast: number,
): Pool {
  const size = organizationId === null ? 0 : Math.ceil((members - organizationId + 1) / organizations);
  if (organizationId !== null && size >= atLeast) {
    return { size, userAt: (place) => organizationId + (place % size) * organizations };
  }
  return { size: members, userAt: (place) => 1 + (place % members) };
}

type Meeting = SampleRecord & {
  readonly organization_id: number | null;
  readonly wait_list: boolean;
  readonly start_time: string;
};

function meetingRecord(request: TrialRequest, index: number, chance: Chance): Meeting {
  const { meetings, organizations, locations, now } = request;
  const isService = index % SERVICE_MEETING === SERVICE_MEETING - 1;
  const organizationId = isService ? null : 1 + (index % organizations);
  const place = (index + chance()) / meetings - (1 - TO_COME);
  const start = Math.round((place * PAST_DAYS * DAY) / (15 * MINUTE)) * 15 * MINUTE;
  const minutes = pick(chance, [30, 45, 60, 60, 90, 120]);
  const subject = pick(chance, subjects);
  const leader = poolOf(request, organizationId, 1).userAt(Math.floor(chance() * 8));
  const { firstName, lastName } = sampleName(leader);
  return {
    kind: 'meeting',
    id: index + 1,
    organization_id: organizationId,
    ...(isService ? { eap_organization_ids: [1 + (index % organizations)] } : {}),
    name: `${pick(chance, subject.names)} ${index + 1}`,
    meeting_type: pick(chance, ['Group', 'Group', 'Group', 'OneToOne', 'Workshop', 'Webinar']),
    start_time: moment(now, start),
    end_time: moment(now, start + minutes * MINUTE),
    duration: minutes,
    status: statusOf({ isCompleted: start + minutes * MINUTE <= 0, draw: chance() }),
    topic: subject.topic,
    special_focus: subject.specialFocus,
    host: `${firstName} ${[...lastName][0] ?? ''}.`,
    location: pick(chance, locations),
    price: pick(chance, [null, null, 0, 5, 12.5, 19.99]),
    max_attendees: 4 + Math.floor(chance() * 60),
    meeting_description: describe(chance),
    group_leader_id: index % 23 === 22 ? null : leader,
    privacy: chance() < 0.2,
    eap: isService || chance() < 0.1,
    allow_meeting_donation: chance() < 0.25,
    invitation_only: chance() < 0.15,
    wait_list: chance() < 0.3,
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
/** Long enough for every description, wherever it begins. */
const prose = sentences.repeat(1 + Math.ceil(DESCRIPTION.longest / sentences.length));

function describe(chance: Chance): string {
  const { shortest, longest } = DESCRIPTION;
  const length = shortest + Math.floor(chance() * (longest - shortest));
  const begin = Math.floor(chance() * sentences.length);
  return prose.slice(begin, begin + length);
}

/** Registrations are spread evenly; who waits has no seat in the same meeting. */
function* placeRecords({
  request,
  index,
  meeting,
  chance,
}: {
  readonly request: TrialRequest;
  readonly index: number;
  readonly meeting: Meeting;
  readonly chance: Chance;
}): Generator<SampleRecord> {
  const { registrations, meetings, now } = request;
  const seats = shareOf(registrations, meetings, index + 1) - shareOf(registrations, meetings, index);
  const pool = poolOf(request, meeting.organization_id, seats);
  const first = Math.floor(chance() * pool.size);
  const meeting_id = index + 1;
  const asked = Math.min(0, Date.parse(meeting.start_time) - now.getTime()) - DAY;
  for (let seat = 0; seat < seats; seat += 1) {
    const registered_at = moment(now, asked - Math.floor(chance() * 20 * DAY));
    yield { kind: 'registration', meeting_id, user_id: pool.userAt(first + seat), registered_at };
  }
  const isFull = seats >= pool.size;
  if (!meeting.wait_list || isFull || Date.parse(meeting.start_time) < now.getTime()) return;
  const status = pick(chance, ['waiting', 'accepted', 'rejected', 'offered', 'expired']);
  const user_id = pool.userAt(first + seats);
  yield { kind: 'waitlist_entry', meeting_id, user_id, status, created_at: moment(now, asked) };
}

/** How many of `total` the first `count` of `all` have together. */
function shareOf(total: number, all: number, count: number): number {
  return Math.floor((total * count) / all);
}

function moment(now: Date, offset: number): string {
  return new Date(now.getTime() + offset).toISOString();
}
