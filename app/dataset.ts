import { datasetSchema } from '@rollcall/contracts';
import {
  checkTimeZone,
  emailProblem,
  isStorable,
  minutesBetween,
  normalizeEmail,
  type Secrets,
} from '@rollcall/core';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { type Database, type ImportCounts, type ImportStep, importDataset } from '#adapters/sql/index.js';
import {
  DatasetError,
  type DatasetItem,
  type DatasetKind,
  type DatasetRecord,
} from '#adapters/sql/maintenance/dataset.js';
import { Mistakes } from './dataset-mistakes.js';
import { type Line, readLines, unpacked } from './lines.js';

/** What a record is checked against beside the schema. */
export interface DatasetRules {
  /** The two values that a meeting's location can have. */
  readonly locations: readonly [own: string, thirdParty: string];
  /** Of `Secrets`: an access key is hashed before it goes any further. */
  readonly accessKeyHashes: Secrets['accessKeyHashes'];
  /** The organization that has an access key with one of these hashes. */
  readonly organizationOf: (hashes: readonly string[]) => Promise<{ readonly id: number } | null>;
}

export interface LoadDataset {
  readonly database: Database;
  /** NDJSON, plain or gzip. */
  readonly source: AsyncIterable<Uint8Array>;
  readonly rules: DatasetRules;
  readonly at: Date;
  /** Told after each part how many records have been read. */
  readonly progress?: (records: number) => void;
  /** Told when everything has been read, and before what follows. */
  readonly onStep?: (step: ImportStep) => void;
}

/**
 * Reads, checks and stores a dataset, all or nothing, in flat memory. Throws `DatasetMistakes` for lines that are
 * wrong by themselves, and `DatasetError` for the first one that contradicts others or what is stored.
 */
export async function loadDataset({
  database,
  source,
  rules,
  at,
  progress,
  onStep,
}: LoadDataset): Promise<ImportCounts> {
  return importDataset(database, checkedItems({ source, rules, progress }), { at, onStep });
}

async function* checkedItems({
  source,
  rules,
  progress,
}: {
  readonly source: LoadDataset['source'];
  readonly rules: DatasetRules;
  readonly progress: LoadDataset['progress'];
}): AsyncGenerator<readonly DatasetItem[]> {
  const checks = { check: createRecordCheck(rules), rules, mistakes: new Mistakes() };
  let records = 0;
  for await (const lines of linesUntilDamage(unpacked(source), checks.mistakes)) {
    const items = await itemsOf(lines, checks);
    // What follows a mistake is only looked at.
    if (!checks.mistakes.any) yield items;
    records += lines.length;
    progress?.(records);
  }
  checks.mistakes.refuse();
}

/** Data that can't be read any further is the last mistake. */
async function* linesUntilDamage(
  source: AsyncIterable<Uint8Array>,
  mistakes: Mistakes,
): AsyncGenerator<readonly Line[]> {
  try {
    yield* readLines(source);
  } catch (error) {
    mistakes.add(error);
  }
}

interface Checks {
  readonly check: (line: Line) => DatasetRecord;
  readonly rules: DatasetRules;
  readonly mistakes: Mistakes;
}

/** Those that are right. */
async function itemsOf(
  lines: readonly Line[],
  { check, rules, mistakes }: Checks,
): Promise<readonly DatasetItem[]> {
  const items: DatasetItem[] = [];
  for (const line of lines) {
    try {
      const record = check(line);
      const isKeyed = record.kind === 'organization';
      items.push({
        line: line.number,
        record: isKeyed ? await withKnownKey(record, { line, rules }) : record,
      });
    } catch (error) {
      mistakes.add(error);
    }
  }
  return items;
}

/**
 * A key that the organization has already, hashed under an earlier secret key, is left as it is: replacing its
 * hash would end the tokens that were made with it.
 */
async function withKnownKey(
  record: DatasetRecord,
  { line, rules }: { readonly line: Line; readonly rules: DatasetRules },
): Promise<DatasetRecord> {
  if (record.kind !== 'organization' || record.deleted === true || record.access_key_hash === undefined)
    return record;
  const { access_key } = JSON.parse(line.text) as { readonly access_key: string };
  const owner = await rules.organizationOf(rules.accessKeyHashes(access_key));
  if (owner?.id !== record.id) return record;
  const { access_key_hash: _known, ...rest } = record;
  return rest;
}

// ── One record ─────────────────────────────────────────────────────────────────────────────────────────────

type Fields = Readonly<Record<string, unknown>>;

const kinds = [
  'organization',
  'user',
  'membership',
  'meeting',
  'registration',
  'waitlist_entry',
] as const satisfies readonly DatasetKind[];

/** Keeps what a kind of record needs beyond its schema: checks it and brings it to the form that is stored. */
type Normalize = (fields: Fields, at: Place, rules: DatasetRules) => Fields;

const normalizers: Record<DatasetKind, Normalize> = {
  organization: normalizeOrganization,
  user: normalizeUser,
  membership: (fields) => fields,
  meeting: normalizeMeeting,
  registration: (fields, at) => withTimestamp(fields, 'registered_at', at),
  waitlist_entry: (fields, at) => withTimestamp(fields, 'created_at', at),
};

interface Place {
  readonly line: number;
}

/** The check of a line: it answers the record as it is to be stored. */
export function createRecordCheck(rules: DatasetRules): (line: Line) => DatasetRecord {
  const checkOf = schemaChecks();
  return ({ number, text }) => {
    const at = { line: number };
    const fields = parse(text, at);
    const kind = kinds.find((known) => known === fields.kind);
    if (kind === undefined) throw wrong(at, 'kind', `must be one of ${kinds.join(', ')}`);

    const removes = fields.deleted === true;
    const check = checkOf(removes ? `${kind}_removed` : kind);
    if (!check(fields)) throw schemaError(at, kind, check.errors?.[0]);
    if (removes) return keyOnly(fields) as unknown as DatasetRecord;
    // Only an escape can bring in what UTF-8 and JSON themselves refuse.
    if (text.includes('\\u')) checkStorable(fields, at);
    return normalizers[kind](fields, at, rules) as unknown as DatasetRecord;
  };
}

function parse(text: string, at: Place): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong(at, null, 'it is not valid JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw wrong(at, null, 'it must be a JSON object such as {"kind":"organization","id":1,"name":"Northwind"}');
}

/** Of a removal nothing else is looked at. */
function keyOnly({ kind, id, organization_id, user_id, meeting_id }: Fields): Fields {
  const parts = { id, organization_id, user_id, meeting_id };
  const keys: Record<string, readonly (keyof typeof parts)[]> = {
    membership: ['organization_id', 'user_id'],
    registration: ['meeting_id', 'user_id'],
    waitlist_entry: ['meeting_id', 'user_id'],
  };
  const key = keys[String(kind)] ?? ['id'];
  return { kind, deleted: true, ...Object.fromEntries(key.map((name) => [name, parts[name]])) };
}

function checkStorable(fields: Fields, at: Place): void {
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === 'string' && !isStorable(value)) {
      throw wrong(at, field, 'must not contain U+0000 or half of a surrogate pair');
    }
  }
}

function normalizeOrganization(fields: Fields, at: Place, rules: DatasetRules): Fields {
  const { access_key, ...rest } = fields;
  if (typeof rest.time_zone === 'string') checkZone(rest.time_zone, at);
  if (typeof access_key !== 'string') return rest;
  return { ...rest, access_key_hash: rules.accessKeyHashes(access_key)[0] };
}

function checkZone(timeZone: string, at: Place): void {
  try {
    checkTimeZone(timeZone);
  } catch {
    throw wrong(at, 'time_zone', 'must be an IANA time zone such as Europe/Berlin, or null');
  }
}

function normalizeUser(fields: Fields, at: Place): Fields {
  const { email, uuid } = fields;
  return {
    ...withTimestamp(fields, 'created_at', at),
    email: normalizeEmail(String(email)),
    uuid: String(uuid).toLowerCase(),
  };
}

function normalizeMeeting(fields: Fields, at: Place, { locations }: DatasetRules): Fields {
  if (!locations.includes(String(fields.location))) {
    throw wrong(
      at,
      'location',
      `must be ${locations.join(' or ')} (see SERVICE_NAME and THIRD_PARTY_LOCATION)`,
    );
  }
  const ties = fields.eap_organization_ids;
  if (fields.organization_id !== null && Array.isArray(ties) && ties.length > 0) {
    throw wrong(
      at,
      'eap_organization_ids',
      "must be empty where organization_id is given: only the service's own meetings are tied",
    );
  }
  return { ...fields, ...meetingTimes(fields, at) };
}

/** `end_time` and `duration` (minutes), where one is missing computed from the other. */
function meetingTimes({ start_time, end_time, duration }: Fields, at: Place): Fields {
  const start = moment(start_time, 'start_time', at);
  const end =
    end_time === undefined
      ? moment(new Date(Date.parse(start) + Number(duration) * 60_000), 'duration', at)
      : moment(end_time, 'end_time', at);
  if (end < start) throw wrong(at, 'end_time', 'must not be before start_time');
  return { start_time: start, end_time: end, duration: duration ?? minutesOf(start, end) };
}

function minutesOf(start: string, end: string): number {
  return minutesBetween({ startTime: new Date(start), endTime: new Date(end) });
}

/** The moment of that name, if it is there, in the one form. */
function withTimestamp(fields: Fields, name: string, at: Place): Fields {
  const given = fields[name];
  if (given === undefined) return fields;
  const stored = moment(given, name, at);
  return stored === given ? fields : { ...fields, [name]: stored };
}

const STORED_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$/;

/** In the one form: UTC with milliseconds, of one width, so that moments sort as texts do. */
function moment(given: unknown, field: string, at: Place): string {
  // Most datasets were written by programs that have the same form.
  if (typeof given === 'string' && STORED_MOMENT.test(given)) return given;
  const time = given instanceof Date ? given : new Date(String(given));
  // A leap second, or a year that the offset moves out of 0000 to 9999.
  const stored = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  if (!STORED_MOMENT.test(stored)) throw wrong(at, field, `must be ${shapes[field]}`);
  return stored;
}

// ── The schema ─────────────────────────────────────────────────────────────────────────────────────────────

/** The check of a definition, compiled when it is first asked for: most datasets need half of them. */
function schemaChecks(): (definition: DatasetKind | `${DatasetKind}_removed`) => ValidateFunction {
  const schema = datasetSchema();
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat('date-time', isTimestamp);
  ajv.addFormat('uri', fullFormats.uri);
  ajv.addFormat('uuid', fullFormats.uuid);
  // The one rule for addresses, so that whoever is imported can be found and can sign in.
  ajv.addFormat('email', (text: string) => emailProblem('email', text) === null);
  ajv.addSchema(schema);
  const compiled = new Map<string, ValidateFunction>();
  return (definition) => {
    const known = compiled.get(definition);
    if (known !== undefined) return known;
    const check = ajv.compile({ $ref: `${schema.$id}#/$defs/${definition}` });
    compiled.set(definition, check);
    return check;
  };
}

/** Of most datasets nearly every moment, and none that is not: the format itself takes ten times as long. */
const USUAL_MOMENT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;
const { validate: isDateTime } = fullFormats['date-time'] as { readonly validate: (text: string) => boolean };

function isTimestamp(text: string): boolean {
  return USUAL_MOMENT.test(text) || isDateTime(text);
}

function schemaError(at: Place, kind: DatasetKind, error: ErrorObject | undefined): DatasetError {
  if (error === undefined) return wrong(at, null, `it is no ${kind}`);
  const { keyword, params, instancePath } = error;
  const field = instancePath.split('/')[1] ?? null;
  if (keyword === 'required') {
    // One of two alternatives: the schema names them one by one.
    const isEnd = kind === 'meeting' && ['end_time', 'duration'].includes(params.missingProperty);
    return wrong(at, params.missingProperty, isEnd ? 'end_time or duration is required' : 'is required');
  }
  if (keyword === 'additionalProperties') {
    return wrong(at, params.additionalProperty, `is no field of the kind ${kind}`);
  }
  return wrong(at, field, describe(error, field));
}

function describe({ keyword, params, message }: ErrorObject, field: string | null): string {
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}`;
  if (keyword === 'format' || keyword === 'pattern')
    return `must be ${(field === null ? undefined : shapes[field]) ?? params.format ?? 'filled'}`;
  return message ?? 'is not allowed';
}

const timestampShape = 'a date and time that exists, with its offset, such as 2026-11-20T18:00:00Z';

const shapes: Readonly<Record<string, string>> = {
  start_time: timestampShape,
  end_time: timestampShape,
  duration: 'so many minutes that the meeting ends before the year 10000',
  created_at: timestampShape,
  registered_at: timestampShape,
  email: 'an e-mail address such as dana@example.com',
  uuid: 'a UUID',
  avatar: 'the http or https URL of a picture, or null',
  access_key: '24 digits',
  location: 'letters from a to z in lower case, digits and hyphens',
  name: 'more than blanks',
  first_name: 'more than blanks',
  last_name: 'more than blanks',
  meeting_type: 'more than blanks',
  status: 'more than blanks',
};

function wrong(at: Place, field: string | null, message: string): DatasetError {
  return new DatasetError({ line: at.line, field }, message);
}
