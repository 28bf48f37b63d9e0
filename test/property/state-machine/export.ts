import fc from 'fast-check';
import { naiveExport } from '../naive-rules.js';
import { Cell, Compared, type Draft, difference, shown } from './cell.js';
import { caller, chosen, maybe } from './choices.js';
import { type Answer, ApiCall, type Call, type Plan, refused, type Step } from './command.js';
import { type ColumnKey, columnKeys, columns, datasetMeetings, meetingBody, numberOf } from './meetings.js';
import { MINUTE, type Model, type ModelMeeting, type OrganizationModel, pick } from './model.js';

const presets = [
  'all',
  'all_past',
  'all_upcoming',
  'today',
  'current_month',
  'last_week',
  'last_month',
  'custom',
  'everything',
] as const;

const parameters = fc.record({
  columns: fc.oneof(
    { weight: 9, arbitrary: fc.subarray<string>([...columnKeys], { minLength: 1, maxLength: 5 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<readonly string[]>([], [...columnKeys], ['name', 'nme'], ['id', 'id']),
    },
  ),
  spelling: fc.constantFrom('column[]', 'column', 'column[0]'),
  reportingDays: maybe(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom<string>(...presets, 'everything', 'everything') },
      { weight: 1, arbitrary: fc.constant('yesterday') },
    ),
  ),
  /** In minutes from now. */
  start: maybe(fc.constantFrom(-60 * 24 * 40, -60, 0, 60)),
  end: maybe(fc.constantFrom(-60, 60, 60 * 24 * 2)),
  reportType: maybe(fc.constantFrom('all_meetings', 'eap_meetings', 'eap_meetings', 'eap')),
  timeZone: maybe(fc.constantFrom('Europe/Berlin', 'Pacific/Apia', 'Mars/Base')),
  updatedSince: maybe(
    fc.constantFrom('2000-01-01T00:00:00Z', '2100-01-01T00:00:00+02:00', 'yesterday', 'one'),
  ),
  page: maybe(fc.constantFrom('1', '2', '0', 'first')),
  perPage: maybe(fc.constantFrom('1', '2', '1.9', '0', '500', 'all')),
  accept: fc.constantFrom('json', 'json', 'json', 'ndjson', 'csv'),
  chosen,
});
type Parameters = typeof parameters extends fc.Arbitrary<infer Given> ? Given : never;

/** What is asked for, without the way it is written. */
interface Asked {
  readonly keys: readonly string[];
  readonly given: readonly (readonly [name: string, value: string | Cell])[];
  readonly since: ModelMeeting | string | undefined;
}

function askedOf(model: Model, given: Parameters): Asked {
  // The time of a change that an answer has shown.
  const updated = [...model.meetings.values()].filter(({ updatedAt }) => updatedAt.value !== undefined);
  const one = pick(updated, given.chosen);
  const since = given.updatedSince === 'one' ? one : given.updatedSince;
  const parts: readonly (readonly [string, string | Cell | undefined])[] = [
    ['reporting_days', given.reportingDays],
    ['start_time', customTime(model.now, given.start)],
    ['end_time', customTime(model.now, given.end)],
    ['report_type', given.reportType],
    ['time_zone', given.timeZone],
    ['updated_since', typeof since === 'object' ? since.updatedAt : since],
    ['page', given.page],
    ['per_page', given.perPage],
  ];
  return {
    keys: given.columns,
    since,
    given: parts.filter((entry): entry is [string, string | Cell] => entry[1] !== undefined),
  };
}

/** A whole minute in UTC, as `MM/DD/YYYY HH:MM AM/PM`. */
function customTime(now: number, minutes: number | undefined): string | undefined {
  if (minutes === undefined) return undefined;
  const text = new Date(now + minutes * MINUTE).toISOString();
  const hour = Number(text.slice(11, 13));
  const clock = `${String(hour % 12 === 0 ? 12 : hour % 12).padStart(2, '0')}:${text.slice(14, 16)}`;
  return `${text.slice(5, 7)}/${text.slice(8, 10)}/${text.slice(0, 4)} ${clock} ${hour < 12 ? 'AM' : 'PM'}`;
}

function exported(model: Model, organization: OrganizationModel, given: Parameters, asked: Asked): Answer {
  const isPaged = given.page !== undefined || given.perPage !== undefined;
  if (asked.keys.length === 0) return formed(given, { keys: [], meetings: [], head: {} });
  const wrong = wrongParameter(given);
  if (wrong !== null) return refused(400, 'invalid-request', wrong);
  const ids = naiveExport(datasetMeetings(model), {
    organization,
    reportingDays: given.reportingDays ?? 'all',
    reportType: given.reportType ?? 'all_meetings',
    startTime: customTime(model.now, given.start),
    endTime: customTime(model.now, given.end),
    timeZone: given.timeZone ?? 'UTC',
    now: new Date(model.now),
  });
  const all = ids
    .map((id) => model.meetings.get(id) as ModelMeeting)
    .filter(({ updatedIn }) => isSince(asked.since, updatedIn));
  const keys = [...new Set(asked.keys)] as readonly ColumnKey[];
  if (!isPaged) return formed(given, { keys, meetings: all, head: {} });

  const page = numberOf(given.page, { byDefault: 1, max: Number.MAX_SAFE_INTEGER });
  const perPage = numberOf(given.perPage, { byDefault: 100, max: 100 });
  const totalPages = Math.ceil(all.length / perPage);
  const metadata = { page, per_page: perPage, total_pages: totalPages, total_count: all.length };
  const meetings = all.slice((page - 1) * perPage, page * perPage);
  return { ...formed(given, { keys, meetings, head: { metadata } }), headers: linkOf(page < totalPages) };
}

function linkOf(isThere: boolean): NonNullable<Answer['headers']> {
  return isThere ? { link: /rel="next"$/ } : { link: undefined };
}

/** By the order of changes, since what the times are is for the service to choose. */
function isSince(since: Asked['since'], updatedIn: number): boolean {
  if (typeof since === 'object') return updatedIn >= since.updatedIn;
  return since === undefined || since.startsWith('2000');
}

/** Which parameter is wrong: the message names it. Of several, any may be named. */
function wrongParameter(given: Parameters): RegExp | null {
  const hasBothEnds = given.start !== undefined && given.end !== undefined;
  const wrong = [
    ...(given.columns.some((key) => !(key in columns)) ? ['column'] : []),
    ...(given.reportingDays === 'yesterday' ? ['reporting_days'] : []),
    ...(given.reportingDays === 'custom' && !hasBothEnds ? ['start_time', 'end_time'] : []),
    ...(given.reportType === 'eap' ? ['report_type'] : []),
    ...(given.timeZone === 'Mars/Base' ? ['time_zone'] : []),
    ...(given.updatedSince === 'yesterday' ? ['updated_since'] : []),
  ];
  return wrong.length === 0 ? null : new RegExp(wrong.join('|'));
}

/** The answer in the form that the caller accepts. */
function formed(
  { accept }: Parameters,
  {
    keys,
    meetings,
    head,
  }: {
    readonly keys: readonly ColumnKey[];
    readonly meetings: readonly ModelMeeting[];
    readonly head: object;
  },
): Answer {
  const rows = meetings.map((meeting) => meetingBody(meeting, keys));
  if (accept === 'json')
    return { status: 200, body: { success: true, ...head, meetings: inOrder(keys, rows) } };
  const text = accept === 'csv' ? csvOf(keys, meetings) : rows;
  const compare = (seen: unknown, draft: Draft, path: string): string | null =>
    accept === 'csv'
      ? difference(csvLines(text as readonly unknown[][]), parseCsv(String(seen)), draft, path)
      : difference(inOrder(keys, rows), ndjson(String(seen)), draft, path);
  return { status: 200, isText: true, body: new Compared(`${accept}: ${shown(text)}`, compare) };
}

/** The rows, whose fields must also come in the order in which they were asked for (decision 11). */
function inOrder(keys: readonly ColumnKey[], rows: readonly object[]): Compared {
  const wanted = keys.map((key) => (key === 'group_leader_id' ? 'group_leader' : key)).join();
  return new Compared(shown(rows), (seen, draft, path) => {
    const found = difference(rows, seen, draft, path);
    if (found !== null) return found;
    const other = (seen as readonly object[]).find((row) => Object.keys(row).join() !== wanted);
    return other === undefined ? null : `${path} has the fields ${Object.keys(other).join()}, not ${wanted}`;
  });
}

function ndjson(text: string): unknown {
  if (text !== '' && !text.endsWith('\n')) return 'a last line without an end';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** The fields of each line; the first has the labels. Texts have quotes. */
function csvOf(keys: readonly ColumnKey[], meetings: readonly ModelMeeting[]): readonly unknown[][] {
  if (keys.length === 0) return [];
  return [
    keys.map((key) => quoted(columns[key][0])),
    ...meetings.map((meeting) => keys.map((key) => csvField(key, columns[key][2](meeting)))),
  ];
}

function csvField(key: ColumnKey, value: unknown): unknown {
  if (value === null) return '';
  if (value instanceof Cell || key === 'start_time') return value;
  if (typeof value !== 'string') return String(value);
  return quoted(/^[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function csvLines(lines: readonly unknown[][]): unknown {
  return lines.length === 0 ? '' : lines;
}

/** Our texts have no line breaks and no commas. */
function parseCsv(text: string): unknown {
  if (text === '') return '';
  if (!text.startsWith('\ufeff') || !text.endsWith('\r\n'))
    return 'a text without byte order mark or last line end';
  return text
    .slice(1, -2)
    .split('\r\n')
    .map((line) => line.split(','));
}

const accepts: Readonly<Record<string, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};

function headersOf({ accept }: Parameters): Pick<Call, 'headers'> {
  const type = accepts[accept];
  return type === undefined ? {} : { headers: { Accept: type } };
}

const exportMeetings: fc.Arbitrary<Step> = fc
  .record({ caller, parameters })
  .map(({ caller: who, parameters: given }) => {
    const plan = (model: Model, organization: OrganizationModel): Plan => {
      const asked = askedOf(model, given);
      const column = (index: number): string =>
        given.spelling === 'column[0]' ? `column[${index}]` : given.spelling;
      const query = [...asked.keys.map((key, index) => [column(index), key] as const), ...asked.given];
      return {
        call: { method: 'GET', path: ['/export_meetings'], query, ...headersOf(given) },
        answer: exported(model, organization, given, asked),
      };
    };
    return new ApiCall('exportMeetings', who, plan);
  });

const exportMeetingsByPost: fc.Arbitrary<Step> = fc
  .record({ caller, parameters })
  .map(({ caller: who, parameters: given }) => {
    const plan = (model: Model, organization: OrganizationModel): Plan => {
      const asked = askedOf(model, given);
      const answer = exported(model, organization, given, asked);
      const json = { column: asked.keys, ...Object.fromEntries(asked.given) };
      return {
        call: { method: 'POST', path: ['/export_meetings'], json, ...headersOf(given) },
        // Only GET has a link to the next page (decision 106).
        answer: { ...answer, headers: { link: undefined } },
      };
    };
    return new ApiCall('exportMeetingsByPost', who, plan);
  });

const listExportColumns: fc.Arbitrary<Step> = caller.map((who) => {
  const list = columnKeys.map((key) => ({ key, label: columns[key][0], type: columns[key][1] }));
  return new ApiCall('listExportColumns', who, () => ({
    call: { method: 'GET', path: ['/export_meetings/columns'] },
    answer: { status: 200, body: { success: true, columns: list } },
  }));
});

export const exportSteps: readonly fc.Arbitrary<Step>[] = [
  exportMeetings,
  exportMeetingsByPost,
  listExportColumns,
];
