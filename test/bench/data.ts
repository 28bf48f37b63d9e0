import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SampleRecord } from '#app/sample/sample-record.js';
import { entryAt, sampleName, subjects, topicOf } from '#app/sample/sample-texts.js';
import { sampleUuid } from '#app/sample/sample-uuid.js';

/** `--small` tries the bench itself with a twentieth of the rows. The figures then say nothing about the goals. */
export const isSmall = process.argv.includes('--small');

export function rows(count: number): number {
  return isSmall ? count / 20 : count;
}

/** The organizations and members that the measured requests name. */
export const facts = {
  locations: ['service', 'zoom'],
  /** All their meetings are completed, except the upcoming ones of members. */
  organizations: {
    large: { id: 1, accessKey: '1'.repeat(24), meetings: rows(100_000), firstMeeting: 1 },
    tenth: { id: 2, accessKey: '2'.repeat(24), meetings: rows(10_000), firstMeeting: 200_001 },
    million: { id: 3, accessKey: '3'.repeat(24), meetings: rows(1_000_000), firstMeeting: 1_000_001 },
    /** Runs an Employee Assistance Program: some of its meetings are service meetings. */
    program: { id: 4, accessKey: '4'.repeat(24), meetings: rows(100_000), firstMeeting: 500_001 },
    /** Meetings with long descriptions. */
    heavy: { id: 5, accessKey: '5'.repeat(24), meetings: rows(10_000), firstMeeting: 700_001 },
  },
  /**
   * Members with seats in upcoming meetings; those of one organization share them. `registrations` includes their past
   * ones.
   */
  members: {
    long: { organization: 1, userId: 1, idpId: 'long', registrations: rows(5_000) },
    short: { organization: 1, userId: 2, idpId: 'short', registrations: 41 },
    program: { organization: 4, userId: 51, idpId: 'program', registrations: rows(2_000) },
  },
  upcoming: 25,
} as const;

/** Average bytes of a meeting as a row of an export with every column. */
export const ROW_BYTES = 705;
export const HEAVY_ROW_BYTES = 5_000;
/** Of this number of meetings of the organization with a program, three are service meetings. */
const SERVICE_CYCLE = 20;
/** Other people in an upcoming meeting, and the number of upcoming meetings in which the members wait for a place. */
const ATTENDEES = 9;
const WAITING = 3;
/** The users of the large organization. */
export const USERS = 50;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const QUARTER_MS = 15 * MINUTE_MS;

/** An organization that requests name, with its completed meetings. */
export interface BenchOrganization {
  readonly id: number;
  readonly accessKey: string;
  readonly meetings: number;
  readonly firstMeeting: number;
}

export type BenchMember = (typeof facts.members)[keyof typeof facts.members];

/** Many small organizations, which are asked in turn. */
export const smallOrganizations: readonly BenchOrganization[] = Array.from({ length: 100 }, (_, index) => ({
  id: 101 + index,
  accessKey: String(101 + index).padEnd(24, '7'),
  meetings: 20,
  firstMeeting: 400_001 + 20 * index,
}));

/**
 * The rows for most measurements: organizations whose completed meetings have 18 columns and about 705 bytes (one has
 * service meetings too, one has long descriptions), a hundred small organizations, and members with a long or a short
 * past.
 */
function* benchDataset(now: Date): Generator<SampleRecord> {
  const { large, tenth, program, heavy } = facts.organizations;
  for (const organization of [large, tenth, program, heavy, ...smallOrganizations])
    yield organizationRecord(organization);
  yield* people(now);
  for (const organization of [large, tenth, program, heavy, ...smallOrganizations]) {
    for (let index = 0; index < organization.meetings; index += 1) {
      yield pastMeeting(organization, index, now);
      yield* pastSeats(organization, index, now);
    }
  }
  for (const organization of [large, program])
    for (let index = 0; index < facts.upcoming; index += 1) yield* upcomingMeeting(organization, index, now);
}

/** The organization with a million meetings. */
function* millionDataset(now: Date): Generator<SampleRecord> {
  const { million } = facts.organizations;
  yield organizationRecord(million);
  for (let index = 0; index < million.meetings; index += 1) yield pastMeeting(million, index, now);
}

function organizationRecord({ id, accessKey }: BenchOrganization): SampleRecord {
  const eap = id === facts.organizations.program.id;
  return { kind: 'organization', id, name: `Northwind Wellness ${id}`, eap, access_key: accessKey };
}

function* people(now: Date): Generator<SampleRecord> {
  for (let id = 1; id <= USERS; id += 1) {
    const known = Object.values(facts.members).find(({ userId }) => userId === id);
    yield* person(id, { idpId: known?.idpId ?? `idp-${id}`, organization: 1, now });
  }
  const { userId, ...member } = facts.members.program;
  yield* person(userId, { ...member, now });
}

export function* person(
  id: number,
  { idpId, organization, now }: { readonly idpId: string; readonly organization: number; readonly now: Date },
): Generator<SampleRecord> {
  const { firstName, lastName, latin } = sampleName(id);
  const created_at = new Date(now.getTime() - 900 * DAY_MS).toISOString();
  const email = `${latin}.${id}@bench.test`;
  const names = { first_name: firstName, last_name: lastName };
  yield { kind: 'user', id, uuid: sampleUuid(id), email, ...names, avatar: null, created_at };
  yield { kind: 'membership', organization_id: organization, user_id: id, role: 'member', idp_id: idpId };
}

/** One meeting for every five minutes of the past; three start at the same time. */
function pastMeeting(organization: BenchOrganization, index: number, now: Date): SampleRecord {
  const start = pastStart(organization.meetings, index, now);
  return meetingOf(organization, { index, start, status: 'complete' });
}

function pastStart(meetings: number, index: number, now: Date): number {
  return (
    Math.floor(now.getTime() / QUARTER_MS) * QUARTER_MS -
    DAY_MS -
    Math.floor((meetings - index) / 3) * QUARTER_MS
  );
}

/** The seats of the organization's members, spread over the whole past. */
function* pastSeats(organization: BenchOrganization, index: number, now: Date): Generator<SampleRecord> {
  const { meetings, firstMeeting } = organization;
  for (const { userId, registrations } of membersOf(organization)) {
    const past = registrations - facts.upcoming;
    if (Math.floor((index * past) / meetings) < Math.floor(((index + 1) * past) / meetings))
      yield seat(firstMeeting + index, userId, pastStart(meetings, index, now) - DAY_MS);
  }
}

function membersOf({ id }: BenchOrganization): readonly BenchMember[] {
  return Object.values(facts.members).filter(({ organization }) => organization === id);
}

function* upcomingMeeting(
  organization: BenchOrganization,
  index: number,
  now: Date,
): Generator<SampleRecord> {
  const id = organization.firstMeeting + organization.meetings + index;
  const start = Math.ceil(now.getTime() / QUARTER_MS) * QUARTER_MS + (index + 1) * DAY_MS;
  yield meetingOf(organization, { index: organization.meetings + index, start, status: 'scheduled' });
  for (const { userId } of membersOf(organization)) {
    yield seat(id, userId, now.getTime() - DAY_MS);
    if (index % Math.floor(facts.upcoming / WAITING) !== 0) continue;
    const created_at = new Date(now.getTime() - 2 * DAY_MS).toISOString();
    yield { kind: 'waitlist_entry', meeting_id: id, user_id: userId, status: 'waiting', created_at };
  }
  for (let other = 0; other < ATTENDEES; other += 1)
    yield seat(id, 3 + ((index + other) % (USERS - 2)), now.getTime() - DAY_MS);
}

/** The meeting at this place in the organization's past and future. */
function meetingOf(
  { id: organizationId, firstMeeting }: BenchOrganization,
  { index, start, status }: { readonly index: number; readonly start: number; readonly status: string },
): SampleRecord {
  const { program, heavy } = facts.organizations;
  const bytes = organizationId === heavy.id ? HEAVY_ROW_BYTES : ROW_BYTES;
  const record = meeting({ id: firstMeeting + index, organizationId, start, status, bytes });
  const isService = organizationId === program.id && index % SERVICE_CYCLE < 3;
  return isService ? { ...record, organization_id: null, eap_organization_ids: [organizationId] } : record;
}

export function seat(meeting_id: number, user_id: number, at: number): SampleRecord {
  return { kind: 'registration', meeting_id, user_id, registered_at: new Date(at).toISOString() };
}

export function meeting({
  id,
  organizationId,
  start,
  status,
  bytes,
}: {
  readonly id: number;
  readonly organizationId: number;
  readonly start: number;
  readonly status: string;
  readonly bytes: number;
}): SampleRecord {
  const subject = entryAt(subjects, id);
  const minutes = entryAt([30, 45, 60, 60, 90, 120], id);
  const leader = 3 + (id % 20);
  const { firstName, lastName } = sampleName(leader);
  const columns = {
    name: `${entryAt(subject.names, id)} ${id}`,
    meeting_type: entryAt(['Group', 'Group', 'OneToOne', 'Workshop', 'Webinar'], id),
    start_time: new Date(start).toISOString(),
    duration: minutes,
    status,
    ...topicOf(subject),
    host: `${firstName} ${[...lastName][0] ?? ''}.`,
    location: entryAt(facts.locations, id),
    price: entryAt([null, null, 0, 5, 12.5, 19.99], id),
    max_attendees: 4 + (id % 60),
    meeting_description: '',
    group_leader_id: id % 23 === 22 ? null : leader,
    privacy: id % 5 === 0,
    eap: false,
    allow_meeting_donation: id % 4 === 0,
    invitation_only: id % 7 === 0,
    wait_list: id % 2 === 0 || status === 'scheduled',
  };
  const wanted = bytes + 10 * ((id % 11) - 5);
  // In an answer, the key of the leader is shorter.
  const missing = wanted - (Buffer.byteLength(JSON.stringify(columns)) - '_id'.length);
  return {
    kind: 'meeting',
    id,
    organization_id: organizationId,
    ...columns,
    end_time: new Date(start + minutes * MINUTE_MS).toISOString(),
    meeting_description: description(id, missing),
  };
}

const prose = [
  'A quiet hour for everybody who comes; nobody has to speak, and tea and time are provided. ',
  'We practise three small exercises that fit into a coffee break and last for a week. ',
  'Bring what moves you, "quotes" and commas included; what is said here stays here. ',
  'For those who care for somebody – über Jahre hinweg – and are seldom asked how they are. ',
  'Newcomers are welcome at every meeting.\nPlease be there five minutes before we begin. ',
]
  .join('')
  .repeat(20);

/** Text that takes about this number of bytes in JSON. */
function description(id: number, bytes: number): string {
  const start = (id * 37) % 400;
  const text = prose.slice(start, start + Math.max(20, bytes));
  const excess = Buffer.byteLength(JSON.stringify(text)) - 2 - bytes;
  return excess > 0 ? text.slice(0, -excess) : text;
}

export interface DatasetFiles {
  readonly base: string;
  /** Null if it is not needed. */
  readonly million: string | null;
}

/** Writes the datasets of the served database in the format of `rollcall import`. */
export async function writeDatasets(
  folder: string,
  { withMillion }: { readonly withMillion: boolean },
): Promise<DatasetFiles> {
  const now = new Date();
  return {
    base: await writeDataset(join(folder, 'base.ndjson'), benchDataset(now)),
    million: withMillion ? await writeDataset(join(folder, 'million.ndjson'), millionDataset(now)) : null,
  };
}

/** Returns the path. */
export async function writeDataset(path: string, records: Iterable<SampleRecord>): Promise<string> {
  await writeFile(path, linesOf(records));
  return path;
}

/** The lines, in pieces of about 64 KB. */
function* linesOf(records: Iterable<SampleRecord>): Generator<string> {
  let lines = '';
  for (const record of records) {
    lines += `${JSON.stringify(record)}\n`;
    if (lines.length < 65_536) continue;
    yield lines;
    lines = '';
  }
  yield lines;
}
