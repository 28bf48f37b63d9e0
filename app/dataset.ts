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
import { decompressed, type Line, readLines } from './lines.js';

/** What records are checked against, besides the schema. */
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
  /** Called after each part with the number of records read so far. */
  readonly progress?: (records: number) => void;
  /** Called when everything has been read, before each further step. */
  readonly onStep?: (step: ImportStep) => void;
}

/**
 * Reads, checks and stores a dataset, all or nothing, in constant memory. Throws `DatasetMistakes` for invalid lines,
 * and `DatasetError` for the first line that contradicts other lines or stored data.
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
  for await (const lines of linesUntilDamage(decompressed(source), checks.mistakes)) {
    const items = await itemsOf(lines, checks);
    // After a mistake, the rest is only checked.
    if (!checks.mistakes.any) yield items;
    records += lines.length;
    progress?.(records);
  }
  checks.mistakes.refuse();
}

/** Damaged data ends the reading, and is the last mistake. */
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

/** The valid lines as items; the others are collected as mistakes. */
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
 * Leaves out an access key that the organization already has under an earlier secret key: replacing its hash would end
 * the tokens that were made with it.
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

/** Checks what the schema of a kind cannot say, and returns the fields in the form that is stored. */
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

/** The check of a line. It returns the record in the form that is stored. */
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
    // UTF-8 and JSON allow characters that cannot be stored only as escapes.
    if (text.includes('\\u')) checkStorable(fields, at);
    return normalizers[kind](fields, at, rules) as unknown as DatasetRecord;
  };
}

function parse(text: string, at: Place): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong(at, null, 'is not valid JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw wrong(at, null, 'must be a JSON object such as {"kind":"organization","id":1,"name":"Northwind"}');
}

/** A removal needs its key only; other fields are ignored. */
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
      "must be empty when organization_id is set: only the service's own meetings can be tied",
    );
  }
  return { ...fields, ...meetingTimes(fields, at) };
}

/** `end_time` and `duration` (minutes). If one is missing, it is computed from the other. */
function meetingTimes({ start_time, end_time, duration }: Fields, at: Place): Fields {
  const start = normalizeTimestamp(start_time, 'start_time', at);
  const end =
    end_time === undefined
      ? normalizeTimestamp(new Date(Date.parse(start) + Number(duration) * 60_000), 'duration', at)
      : normalizeTimestamp(end_time, 'end_time', at);
  if (end < start) throw wrong(at, 'end_time', 'must not be before start_time');
  return { start_time: start, end_time: end, duration: duration ?? minutesOf(start, end) };
}

function minutesOf(start: string, end: string): number {
  return minutesBetween({ startTime: new Date(start), endTime: new Date(end) });
}

/** The fields with one timestamp, if it is present, in the stored form. */
function withTimestamp(fields: Fields, name: string, at: Place): Fields {
  const given = fields[name];
  if (given === undefined) return fields;
  const stored = normalizeTimestamp(given, name, at);
  return stored === given ? fields : { ...fields, [name]: stored };
}

const STORED_TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$/;

/** In the stored form: UTC with milliseconds. All have the same length, so they sort as text. */
function normalizeTimestamp(given: unknown, field: string, at: Place): string {
  // Most datasets have this form already.
  if (typeof given === 'string' && STORED_TIMESTAMP.test(given)) return given;
  const time = given instanceof Date ? given : new Date(String(given));
  // A leap second, or a year that the offset moves out of 0000 to 9999.
  const stored = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  if (!STORED_TIMESTAMP.test(stored)) throw wrong(at, field, `must be ${shapes[field]}`);
  return stored;
}

// ── The schema ─────────────────────────────────────────────────────────────────────────────────────────────

/** Compiles the check of a definition when it is first needed: most datasets need half of them. */
function schemaChecks(): (definition: DatasetKind | `${DatasetKind}_removed`) => ValidateFunction {
  const schema = datasetSchema();
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat('date-time', isTimestamp);
  ajv.addFormat('uri', fullFormats.uri);
  ajv.addFormat('uuid', fullFormats.uuid);
  // The same rule as everywhere, so that imported users can be found and can sign in.
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

/** Accepts most timestamps of most datasets, and no invalid one. The full check takes ten times as long. */
const USUAL_TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;
const { validate: isDateTime } = fullFormats['date-time'] as { readonly validate: (text: string) => boolean };

function isTimestamp(text: string): boolean {
  return USUAL_TIMESTAMP.test(text) || isDateTime(text);
}

function schemaError(at: Place, kind: DatasetKind, error: ErrorObject | undefined): DatasetError {
  if (error === undefined) return wrong(at, null, `is not a valid ${kind}`);
  const { keyword, params, instancePath } = error;
  const field = instancePath.split('/')[1] ?? null;
  if (keyword === 'required') {
    // One of two alternatives: the schema names them one by one.
    const isEnd = kind === 'meeting' && ['end_time', 'duration'].includes(params.missingProperty);
    return wrong(at, params.missingProperty, isEnd ? 'end_time or duration is required' : 'is required');
  }
  if (keyword === 'additionalProperties') {
    return wrong(at, params.additionalProperty, `is not a field of ${kind}`);
  }
  return wrong(at, field, describe(error, field));
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function describe({ keyword, params, message }: ErrorObject, field: string | null): string {
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'type') return `must be ${[params.type].flat().map(withArticle).join(' or ')}`;
  if (keyword === 'format' || keyword === 'pattern')
    return `must be ${(field === null ? undefined : shapes[field]) ?? params.format ?? 'in another form'}`;
  return message ?? 'is not allowed';
}

const timestampShape = 'a valid date and time with its offset, such as 2026-11-20T18:00:00Z';

const shapes: Readonly<Record<string, string>> = {
  start_time: timestampShape,
  end_time: timestampShape,
  duration: 'short enough for the meeting to end before the year 10000',
  created_at: timestampShape,
  registered_at: timestampShape,
  email: 'an email address such as dana@example.com',
  uuid: 'a UUID',
  avatar: 'the http or https URL of a picture, or null',
  access_key: '24 digits',
  location: 'lower-case letters (a to z), digits and hyphens only',
  name: 'more than spaces',
  first_name: 'more than spaces',
  last_name: 'more than spaces',
  meeting_type: 'more than spaces',
  status: 'more than spaces',
};

function wrong(at: Place, field: string | null, message: string): DatasetError {
  return new DatasetError({ line: at.line, field }, message);
}
