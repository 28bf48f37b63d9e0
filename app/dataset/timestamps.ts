import { minutesBetween } from '@rollcall/core/rules';
import { allowedForms } from './allowed-forms.js';
import { invalidField, type Position } from './invalid-field.js';

/** The fields of a record as JSON gives them. */
export type Fields = Readonly<Record<string, unknown>>;

/** `end_time` and `duration` (minutes). If one is missing, it is computed from the other. */
export function meetingTimes({ start_time, end_time, duration }: Fields, at: Position): Fields {
  const start = normalizeTimestamp(start_time, 'start_time', at);
  const end =
    end_time === undefined
      ? normalizeTimestamp(new Date(Date.parse(start) + Number(duration) * 60_000), 'duration', at)
      : normalizeTimestamp(end_time, 'end_time', at);
  if (end < start) throw invalidField(at, 'end_time', 'must not be before start_time');
  return { start_time: start, end_time: end, duration: duration ?? minutesOf(start, end) };
}

function minutesOf(start: string, end: string): number {
  return minutesBetween({ startTime: new Date(start), endTime: new Date(end) });
}

/** Returns the fields with one timestamp, if present and not null, changed to the stored form. */
export function withTimestamp(fields: Fields, name: string, at: Position): Fields {
  const given = fields[name];
  if (given === undefined || given === null) return fields;
  const stored = normalizeTimestamp(given, name, at);
  return stored === given ? fields : { ...fields, [name]: stored };
}

const STORED_TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$/;

/** The stored form of a timestamp: UTC with milliseconds. All have the same length, so they sort as text. */
function normalizeTimestamp(given: unknown, field: string, at: Position): string {
  // Most datasets already have this form.
  if (typeof given === 'string' && STORED_TIMESTAMP.test(given)) return given;
  const time = given instanceof Date ? given : new Date(String(given));
  // A leap second, or a year that the offset moves out of 0000 to 9999.
  const stored = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  if (!STORED_TIMESTAMP.test(stored)) throw invalidField(at, field, `must be ${allowedForms[field]}`);
  return stored;
}
