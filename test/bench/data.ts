import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SampleRecord } from '#app/sample/sample-record.js';
import { entryAt, sampleName, subjects } from '#app/sample/sample-texts.js';
import { sampleUuid } from '#app/sample/sample-uuid.js';
import { rollcall } from '../support/app-cli.js';

/** The organizations and members that the measured requests name. */
export const facts = {
  locations: ['service', 'zoom'],
  /** All their meetings are completed, except the upcoming ones of the first organization's members. */
  organizations: {
    large: { id: 1, accessKey: '1'.repeat(24), meetings: 100_000, firstMeeting: 1 },
    tenth: { id: 2, accessKey: '2'.repeat(24), meetings: 10_000, firstMeeting: 200_001 },
    million: { id: 3, accessKey: '3'.repeat(24), meetings: 1_000_000, firstMeeting: 1_000_001 },
  },
  /** Members with seats in the same upcoming meetings. `registrations` includes their past ones. */
  members: {
    long: { userId: 1, idpId: 'long', registrations: 5_000 },
    short: { userId: 2, idpId: 'short', registrations: 41 },
  },
  upcoming: 25,
} as const;

/** Average bytes of a meeting as a row of an export with every column. */
const ROW_BYTES = 705;
/** Other people in an upcoming meeting, and the number of upcoming meetings in which the two members wait for a place. */
const ATTENDEES = 9;
const WAITING = 3;
const USERS = 50;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const QUARTER_MS = 15 * MINUTE_MS;

export type BenchOrganization = (typeof facts.organizations)[keyof typeof facts.organizations];

/**
 * The rows for most measurements: organizations whose completed meetings have 18 columns and about 705 bytes, a hundred
 * small organizations, and two members with the same upcoming meetings, one with a long past and one with a short one.
 */
function* benchDataset(now: Date): Generator<SampleRecord> {
  const { large, tenth } = facts.organizations;
  for (const organization of [large, tenth]) yield organizationRecord(organization);
  for (const { id, meetings, firstMeeting } of smallOrganizations) {
    yield { kind: 'organization', id, name: `Small ${id}`, eap: false };
    for (let index = 0; index < meetings; index += 1)
      yield pastMeeting({ id, meetings, firstMeeting }, index, now);
  }
  yield* people(now);
  for (let index = 0; index < large.meetings; index += 1) {
    yield pastMeeting(large, index, now);
    yield* pastSeats(index, now);
  }
  for (let index = 0; index < tenth.meetings; index += 1) yield pastMeeting(tenth, index, now);
  for (let index = 0; index < facts.upcoming; index += 1) yield* upcomingMeeting(index, now);
}

/** The organization with a million meetings. */
function* millionDataset(now: Date): Generator<SampleRecord> {
  const { million } = facts.organizations;
  yield organizationRecord(million);
  for (let index = 0; index < million.meetings; index += 1) yield pastMeeting(million, index, now);
}

const smallOrganizations = Array.from({ length: 100 }, (_, index) => ({
  id: 101 + index,
  meetings: 20,
  firstMeeting: 400_001 + 20 * index,
}));

function organizationRecord({ id, accessKey }: BenchOrganization): SampleRecord {
  return { kind: 'organization', id, name: `Northwind Wellness ${id}`, eap: false, access_key: accessKey };
}

function* people(now: Date): Generator<SampleRecord> {
  const { long, short } = facts.members;
  const known = new Map<number, string>([
    [long.userId, long.idpId],
    [short.userId, short.idpId],
  ]);
  for (let id = 1; id <= USERS; id += 1) {
    const { firstName, lastName, latin } = sampleName(id);
    const created_at = new Date(now.getTime() - 900 * DAY_MS).toISOString();
    const email = `${latin}.${id}@bench.test`;
    const names = { first_name: firstName, last_name: lastName };
    yield { kind: 'user', id, uuid: sampleUuid(id), email, ...names, avatar: null, created_at };
    const idp_id = known.get(id) ?? `idp-${id}`;
    yield { kind: 'membership', organization_id: 1, user_id: id, role: 'member', idp_id };
  }
}

/** The meetings of an organization. */
interface MeetingsOf {
  readonly id: number;
  readonly meetings: number;
  readonly firstMeeting: number;
}

/** One meeting for every five minutes of the past; three start at the same time. */
function pastMeeting({ id, meetings, firstMeeting }: MeetingsOf, index: number, now: Date): SampleRecord {
  const start = pastStart(meetings, index, now);
  return meeting({ id: firstMeeting + index, organizationId: id, start, status: 'complete' });
}

function pastStart(meetings: number, index: number, now: Date): number {
  return (
    Math.floor(now.getTime() / QUARTER_MS) * QUARTER_MS -
    DAY_MS -
    Math.floor((meetings - index) / 3) * QUARTER_MS
  );
}

/** The seats of the two members, spread over the whole past. */
function* pastSeats(index: number, now: Date): Generator<SampleRecord> {
  const { meetings, firstMeeting } = facts.organizations.large;
  for (const { userId, registrations } of Object.values(facts.members)) {
    const past = registrations - facts.upcoming;
    if (Math.floor((index * past) / meetings) < Math.floor(((index + 1) * past) / meetings))
      yield seat(firstMeeting + index, userId, pastStart(meetings, index, now) - DAY_MS);
  }
}

function* upcomingMeeting(index: number, now: Date): Generator<SampleRecord> {
  const { id: organizationId, meetings, firstMeeting } = facts.organizations.large;
  const id = firstMeeting + meetings + index;
  const start = Math.ceil(now.getTime() / QUARTER_MS) * QUARTER_MS + (index + 1) * DAY_MS;
  yield meeting({ id, organizationId, start, status: 'scheduled' });
  const { long, short } = facts.members;
  for (const userId of [long.userId, short.userId]) {
    yield seat(id, userId, now.getTime() - DAY_MS);
    if (index % Math.floor(facts.upcoming / WAITING) !== 0) continue;
    const created_at = new Date(now.getTime() - 2 * DAY_MS).toISOString();
    yield { kind: 'waitlist_entry', meeting_id: id, user_id: userId, status: 'waiting', created_at };
  }
  for (let other = 0; other < ATTENDEES; other += 1)
    yield seat(id, 3 + ((index + other) % (USERS - 2)), now.getTime() - DAY_MS);
}

function seat(meeting_id: number, user_id: number, at: number): SampleRecord {
  return { kind: 'registration', meeting_id, user_id, registered_at: new Date(at).toISOString() };
}

function meeting({
  id,
  organizationId,
  start,
  status,
}: {
  readonly id: number;
  readonly organizationId: number;
  readonly start: number;
  readonly status: string;
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
    topic: subject.topic,
    special_focus: subject.specialFocus,
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
  const wanted = ROW_BYTES + 10 * ((id % 11) - 5);
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
  .repeat(5);

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
  /** The output of `rollcall sample`, a meeting and five registrations again and again; and half of it. Null: not needed. */
  readonly samples: { readonly many: SampleFile; readonly few: SampleFile } | null;
}

export interface SampleFile {
  readonly path: string;
  readonly records: number;
}

const SAMPLE_MEETINGS = 80_000;

/** Writes the datasets in the format of `rollcall import`. */
export async function writeDatasets(
  folder: string,
  { withMillion, withSamples }: { readonly withMillion: boolean; readonly withSamples: boolean },
): Promise<DatasetFiles> {
  const now = new Date();
  const write = async (name: string, records: Iterable<SampleRecord>): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, linesOf(records));
    return path;
  };
  return {
    base: await write('base.ndjson', benchDataset(now)),
    million: withMillion ? await write('million.ndjson', millionDataset(now)) : null,
    samples: withSamples
      ? {
          many: await writeSample(folder, SAMPLE_MEETINGS),
          few: await writeSample(folder, SAMPLE_MEETINGS / 2),
        }
      : null,
  };
}

async function writeSample(folder: string, meetings: number): Promise<SampleFile> {
  const path = join(folder, `sample-${meetings}.ndjson`);
  const child = spawn(process.execPath, [rollcall, 'sample', '--meetings', String(meetings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let records = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) records += 1;
  });
  await pipeline(child.stdout, createWriteStream(path));
  return { path, records };
}

const LINE_FEED = 0x0a;

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
