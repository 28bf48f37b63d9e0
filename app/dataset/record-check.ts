import { isStorable, textProblem } from '@rollcall/core/adapters';
import { checkTimeZone, normalizeEmail } from '@rollcall/core/rules';
import type { DatasetKind, DatasetRecord } from '@rollcall/sql/maintenance';
import type { DatasetRules } from './dataset-rules.js';
import { invalidField, type Position } from './invalid-field.js';
import type { Line } from './lines.js';
import { quickChecks } from './quick-checks.js';
import { exactCheck, formats, schemaError } from './schema.js';
import { type Fields, meetingTimes, withTimestamp } from './timestamps.js';

/** Checks rules that a schema can't express, and returns the fields in their stored form. */
type Normalize = (fields: Fields, at: Position, rules: DatasetRules) => Fields;

const normalizers: Record<DatasetKind, Normalize> = {
  organization: normalizeOrganization,
  user: normalizeUser,
  membership: normalizeMembership,
  meeting: normalizeMeeting,
  registration: (fields, at) => withTimestamp(fields, 'registered_at', at),
  waitlist_entry: (fields, at) => withTimestamp(withTimestamp(fields, 'created_at', at), 'offered_until', at),
};

const kinds = Object.keys(normalizers) as readonly DatasetKind[];
const isValid = quickChecks(formats);

/** Checks a line, and returns the record in its stored form. */
export function createRecordCheck(rules: DatasetRules): (line: Line) => DatasetRecord {
  return ({ number, text }) => {
    const at = { line: number };
    const fields = parse(text, at);
    const kind = kinds.find((known) => known === fields.kind);
    if (kind === undefined) throw invalidField(at, 'kind', `must be one of ${kinds.join(', ')}`);

    const isRemoval = fields.deleted === true;
    const definition = isRemoval ? (`${kind}_removed` as const) : kind;
    if (!isValid[definition](fields)) {
      const check = exactCheck(definition);
      if (!check(fields)) throw schemaError(at, kind, check.errors?.[0]);
    }
    if (isRemoval) return keyOnly(fields) as unknown as DatasetRecord;
    // UTF-8 and JSON allow characters that cannot be stored only as escapes.
    if (text.includes('\\u')) checkStorable(fields, at);
    return normalizers[kind](fields, at, rules) as unknown as DatasetRecord;
  };
}

function parse(text: string, at: Position): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidField(at, null, 'is not valid JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw invalidField(
    at,
    null,
    'must be a JSON object such as {"kind":"organization","id":1,"name":"Northwind"}',
  );
}

/** A removal needs only its key. Other fields are ignored. */
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

function checkStorable(fields: Fields, at: Position): void {
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === 'string' && !isStorable(value)) {
      throw invalidField(at, field, 'must not contain U+0000 or half of a surrogate pair');
    }
  }
}

function normalizeOrganization(fields: Fields, at: Position, rules: DatasetRules): Fields {
  checkName(fields, 'name', at);
  const { access_key, ...rest } = fields;
  if (typeof rest.time_zone === 'string') checkZone(rest.time_zone, at);
  if (typeof access_key !== 'string') return rest;
  return { ...rest, access_key_hash: rules.accessKeyHashes(access_key)[0] };
}

function checkZone(timeZone: string, at: Position): void {
  try {
    checkTimeZone(timeZone);
  } catch {
    throw invalidField(at, 'time_zone', 'must be an IANA time zone such as Europe/Berlin, or null');
  }
}

/** The rules for names hold here too: in mails, lists and on terminals a name is one line, in its own direction. */
function checkName(
  fields: Fields,
  field: 'name' | 'first_name' | 'last_name' | 'idp_id',
  at: Position,
): void {
  const text = fields[field];
  if (typeof text !== 'string' || /^[ -~]*$/.test(text)) return;
  // The schema has the limits of length.
  const problem = textProblem('name', text, { maxCharacters: text.length });
  if (problem !== null) throw invalidField(at, field, problem.message);
}

function normalizeMembership(fields: Fields, at: Position): Fields {
  checkName(fields, 'idp_id', at);
  return fields;
}

function normalizeUser(fields: Fields, at: Position): Fields {
  checkName(fields, 'first_name', at);
  checkName(fields, 'last_name', at);
  const { email, uuid } = fields;
  return {
    ...withTimestamp(fields, 'created_at', at),
    email: normalizeEmail(String(email)),
    uuid: String(uuid).toLowerCase(),
  };
}

function normalizeMeeting(fields: Fields, at: Position, { locations }: DatasetRules): Fields {
  if (!locations.includes(String(fields.location))) {
    throw invalidField(
      at,
      'location',
      `must be ${locations.join(' or ')} (see SERVICE_NAME and THIRD_PARTY_LOCATION)`,
    );
  }
  const ties = fields.eap_organization_ids;
  if (fields.organization_id !== null && Array.isArray(ties) && ties.length > 0) {
    throw invalidField(
      at,
      'eap_organization_ids',
      "must be empty when organization_id is set: only the service's own meetings can be tied",
    );
  }
  return Object.assign(fields, meetingTimes(fields, at));
}
