import type { Organization } from '../access/ports/organizations.js';
import { Refusal } from '../errors.js';
import type { Unchecked } from '../values/one-of.js';
import type { Field } from '../values/problem.js';
import { Problems } from '../values/problems.js';
import { checkTimeZone } from '../values/time-zone.js';
import { clampTimestamp, parseInstant } from '../values/timestamp.js';
import type { MeetingSelection, TimeRange } from './meeting.js';
import { intersection, type Preset, parseLocalTime, presetRange, presets } from './reporting-range.js';

/** The names of the report types. The first is the default. */
export const reportTypes = ['all_meetings', 'eap_meetings'] as const;
/** `all_meetings`: every meeting of the selection. `eap_meetings`: only those of the Employee Assistance Program. */
export type ReportType = (typeof reportTypes)[number];

/** Which meetings an export holds, as the client sent it. Undefined and empty values count as left out. */
export interface SelectionParameters {
  /** The preset. Left out: `all`, which holds completed meetings only. */
  readonly reportingDays?: Unchecked<Preset> | undefined;
  /**
   * The first minute of the range in which meetings start, as `MM/DD/YYYY HH:MM AM/PM` in the time zone. Has an effect
   * only together with `endTime`, and further limits a preset.
   */
  readonly startTime?: string | undefined;
  /** The last minute of that range, in the same format. Meetings that start within this minute count. */
  readonly endTime?: string | undefined;
  /**
   * Only meetings that were updated at this time or later, as ISO 8601 with an offset, such as
   * `2026-11-20T18:30:00.000Z`.
   */
  readonly updatedSince?: string | undefined;
  /** Left out: `all_meetings`. */
  readonly reportType?: Unchecked<ReportType> | undefined;
  /**
   * The IANA zone of the preset and the times. Left out: the organization's, or else the setting `reportingTimeZone`.
   */
  readonly timeZone?: string | undefined;
}

/**
 * Returns the selection that the parameters describe: the preset, limited by the explicit range if there is one.
 * Without a preset, and with `all` and `all_past`, only completed meetings are selected. `now` decides which meetings
 * are upcoming; `reportingTimeZone` counts if neither the parameters nor the organization name a zone.
 *
 * @throws `Refusal`: `invalid-request` with every parameter that is wrong.
 */
export function selectMeetings(
  organization: Organization,
  parameters: SelectionParameters,
  { now, reportingTimeZone }: { readonly now: Date; readonly reportingTimeZone: string },
): MeetingSelection {
  const problems = new Problems();
  const { reportingDays, reportType } = parameters;
  const preset = problems.in(() => oneOf(presets, { field: 'reportingDays', value: reportingDays }), 'all');
  const report = problems.in(
    () => oneOf(reportTypes, { field: 'reportType', value: reportType }),
    'all_meetings',
  );
  const ownZone = organization.timeZone ?? reportingTimeZone;
  const timeZone = problems.in(() => checkTimeZone(parameters.timeZone || ownZone), ownZone);
  const explicit = explicitRange(parameters, { required: preset === 'custom', timeZone, problems });
  const { updatedSince = '' } = parameters;
  const since = problems.in(() => (updatedSince ? instantOf(updatedSince) : null), null);
  problems.refuse();

  const range = presetRange(preset, { now, timeZone });
  return {
    organizationId: organization.id,
    withServiceMeetings: organization.eap,
    eapOnly: report === 'eap_meetings',
    state: stateOf(preset),
    starts: explicit === null ? range : intersection(range, explicit),
    updatedSince: since,
    now,
  };
}

function stateOf(preset: Preset): MeetingSelection['state'] {
  if (preset === 'all' || preset === 'all_past') return 'past';
  return preset === 'all_upcoming' ? 'upcoming' : 'any';
}

/** Reads `updatedSince`. */
function instantOf(text: string): Date {
  const instant = parseInstant(text);
  if (instant !== null) return clampTimestamp(instant);
  const message = 'must be an existing date and time with its offset, such as 2026-11-20T18:30:00.000Z';
  throw new Refusal('invalid-request', [{ field: 'updatedSince', code: 'malformed', message }]);
}

/** Null unless both ends are given: one end alone has no effect. */
function explicitRange(
  { startTime, endTime }: Pick<SelectionParameters, 'startTime' | 'endTime'>,
  {
    required,
    timeZone,
    problems,
  }: { readonly required: boolean; readonly timeZone: string; readonly problems: Problems },
): TimeRange | null {
  const read = (field: 'startTime' | 'endTime', text: string | undefined): Date | null =>
    text ? problems.in(() => parseLocalTime(text, { field, timeZone }), null) : null;
  const start = read('startTime', startTime);
  const end = read('endTime', endTime);
  if (required && !(startTime && endTime)) {
    problems.add({
      field: null,
      code: 'range-incomplete',
      message: 'A custom range needs both a start and an end',
    });
  }
  return start === null || end === null ? null : { from: start, before: end };
}

/** Returns the value if it is allowed, or the first allowed value if there is none. */
function oneOf<Value extends string>(
  allowed: readonly [Value, ...Value[]],
  { field, value }: { readonly field: Field; readonly value: string | undefined },
): Value {
  if (!value) return allowed[0];
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new Refusal('invalid-request', [
      { field, code: 'not-allowed', message: `must be one of ${allowed.join(', ')}` },
    ]);
  return found;
}
