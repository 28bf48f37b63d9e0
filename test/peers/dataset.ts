/** The dataset of the peers: organization 1 with an owner, members, past meetings to export and upcoming ones. */

/** Texts that readers of tables take for something else, with what a CSV file has instead where they look like a formula. */
const TEXTS: readonly (string | readonly [text: string, inCsv: string])[] = [
  ...['say "hi", she said', 'two\nlines', 'windows\r\nlines', 'tab\there', 'semi;colon', '"', "'quoted'"],
  ...['007', '12345678901234567890', '1e5', '1,5', 'true', 'NA', 'NULL', '\\N', 'nan', '2026-01-02'],
  ...[' blanks around ', '#no comment', 'back\\slash\\n', '漢字 😀 é', 'line\u2028separator', '%d &amp; <b>'],
  ...([
    ['=1+1', "'=1+1"],
    ['+49 30 12', "'+49 30 12"],
    ['-5', "'-5"],
    ['@SUM(1)', "'@SUM(1)"],
    ['＝1+1', "'＝1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a;"=1+1"', `a;'"=1+1"`],
    ['a\n=1+1', "a\n'=1+1"],
    ['\t=1+1', "'\t'=1+1"],
  ] as const),
];

const DAY_MS = 86_400_000;
const now = new Date();
/** In last month, so that presets find them. */
const past = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 10);
const soon = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 7, 9);

export const COUNT = 130;
const LEADER = 3;

const meetings = Array.from({ length: COUNT }, (_, index) => {
  const given = TEXTS[index] ?? `Meeting ${index}`;
  const [name, inCsv] = typeof given === 'string' ? [given, given] : given;
  const isFull = index % 2 === 0;
  return {
    inCsv,
    record: {
      ...{ kind: 'meeting', id: index + 1, organization_id: 1, name, topic: isFull ? name : '' },
      ...{ meeting_type: 'Group', status: 'complete', location: 'rollcall', host: 'Ada' },
      ...{ start_time: new Date(past + index * 60_000).toISOString(), duration: 45 },
      ...{ price: [12.5, 0.1, null][index % 3], max_attendees: isFull ? 2_147_483_647 : 0 },
      meeting_description: [null, '', name][index % 3] ?? null,
      group_leader_id: isFull ? LEADER : null,
      ...{ privacy: isFull, wait_list: !isFull },
    },
  };
});

/** The columns of the export, and which values they have. */
export const COLUMNS = [
  ...['name', 'topic', 'start_time', 'duration', 'status', 'price', 'max_attendees', 'meeting_description'],
  ...['group_leader_id', 'privacy', 'wait_list'],
] as const;

export const LABELS = [
  ...['Name', 'Topic', 'Start Time', 'Duration', 'Status', 'Price', 'Max Registrants', 'Description'],
  ...['Group Leader', 'Privacy', 'Wait List'],
];

export type Cell = string | number | boolean | null;

/** The rows of an export in JSON. */
export const jsonRows: readonly Readonly<Record<string, Cell>>[] = meetings.map(({ record }) => ({
  ...{ name: record.name, topic: record.topic, start_time: record.start_time, duration: record.duration },
  ...{ status: record.status, price: record.price ?? 0, max_attendees: record.max_attendees },
  ...{ meeting_description: record.meeting_description, group_leader: record.group_leader_id },
  ...{ privacy: record.privacy, wait_list: record.wait_list },
}));

/** The rows of an export in CSV, in which null is missing. */
export const csvRows: readonly (readonly Cell[])[] = meetings.map(({ inCsv }, index) =>
  Object.values(jsonRows[index] ?? {}).map((cell) => (cell === meetings[index]?.record.name ? inCsv : cell)),
);

/** The meetings of the owner and of the member `idp-0`. */
export interface Upcoming {
  readonly id: number;
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly status: 'scheduled' | 'cancel';
  readonly description: string;
}

const at = (days: number, minutes = 0): string =>
  new Date(soon + days * DAY_MS + minutes * 60_000).toISOString();
const LONG = 'Ärzte, "Yoga"; C:\\new & 漢字 😀 '.repeat(60).trim();

export const upcoming: readonly Upcoming[] = [
  { id: 901, name: 'Moved', start: at(0), end: at(0, 60), status: 'scheduled', description: 'First' },
  { id: 902, name: 'Cancelled', start: at(1), end: at(1, 60), status: 'scheduled', description: '' },
  { id: 903, name: 'Zero length', start: at(2), end: at(2), status: 'scheduled', description: 'An instant' },
  {
    id: 904,
    name: 'Long; lines, \\ all',
    start: at(3),
    end: at(3, 90),
    status: 'scheduled',
    description: LONG,
  },
  { id: 905, name: 'A\u2028B', start: at(4), end: at(4, 30), status: 'scheduled', description: 'one\ntwo' },
];

/** The same later: the first was moved, and the second cancelled. */
export const upcomingLater: readonly Upcoming[] = upcoming.map((meeting) => {
  if (meeting.id === 901) return { ...meeting, start: at(8, 15), end: at(8, 75), description: 'Second' };
  return meeting.id === 902 ? { ...meeting, status: 'cancel' } : meeting;
});

export const upcomingRecord = ({ id, name, start, end, status, description }: Upcoming): object => ({
  ...{ kind: 'meeting', id, organization_id: 1, name, meeting_type: 'Group', location: 'rollcall' },
  ...{ start_time: start, end_time: end, status, meeting_description: description },
});

export const ACCESS_KEY = '1'.repeat(24);
export const OWNER = 'dana@example.test';
export const PASSWORD = 'correct horse battery';
/** An id that some proxies change. */
export const SLASHED_ID = 'a/b c%2F';

const uuid = (id: number): string => `8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f${String(id).padStart(4, '0')}`;
const person = (id: number, email: string, first_name: string, last_name: string): object => ({
  ...{ kind: 'user', id, uuid: uuid(id), email, first_name, last_name },
});

/** A person who has registered elsewhere. */
export const registration: readonly object[] = [
  person(50, 'elsewhere@example.test', 'Eli', 'Fox'),
  { kind: 'membership', organization_id: 1, user_id: 50, role: 'member', registered: true },
];

export const records: readonly object[] = [
  { kind: 'organization', id: 1, name: 'Garden Circle', access_key: ACCESS_KEY },
  person(1, OWNER, 'Dana', 'Kim'),
  person(2, 'member@example.test', 'Sam', 'Roe'),
  person(LEADER, 'leader@example.test', 'Lee', 'Doe'),
  person(4, 'slash@example.test', 'Sal', 'Ash'),
  { kind: 'membership', organization_id: 1, user_id: 1, role: 'owner' },
  { kind: 'membership', organization_id: 1, user_id: 2, role: 'member', idp_id: 'idp-0' },
  { kind: 'membership', organization_id: 1, user_id: 4, role: 'member', idp_id: SLASHED_ID },
  ...meetings.map(({ record }) => record),
  ...upcoming.map(upcomingRecord),
  ...upcoming.flatMap(({ id }) =>
    [1, 2].map((user_id) => ({ kind: 'registration', meeting_id: id, user_id })),
  ),
];
