import { Refusal } from '../errors.js';
import { csvHeading } from '../values/csv.js';
import type { Unchecked } from '../values/one-of.js';

/** How exported rows are encoded: as JSON objects with commas between them, as one JSON object per line, or as CSV. */
export type ExportFormat = 'json' | 'ndjson' | 'csv';
export const exportForms: readonly ExportFormat[] = ['json', 'ndjson', 'csv'];

/** One column of an export. */
export interface ExportColumn {
  /** The column's name in requests. */
  readonly key: ExportColumnKey;
  /** The column's name in the exported rows. */
  readonly as: string;
  /** The column's name for people. */
  readonly label: string;
  /**
   * How the values are encoded. `price`: the number exactly as it is stored, 0 if the meeting has none. `instant`: UTC
   * in ISO 8601 with milliseconds, such as `2026-11-20T18:30:00.000Z`. `… or null`: null in JSON, empty in CSV.
   */
  readonly type: 'string' | 'text or null' | 'integer' | 'integer or null' | 'price' | 'boolean' | 'instant';
}

/** The fields of a meeting that exports can contain. */
export interface ExportedMeeting {
  /** A whole number from 1 to 2^53 - 1, which the meeting keeps. Meetings that start at the same time are ordered by it. */
  readonly id: number;
  /** The title, exported as `name`. */
  readonly name: string;
  /** How the meeting is held, exported as stored. */
  readonly meetingType: string;
  /** Exported in UTC, as `2026-11-20T18:30:00.000Z`. */
  readonly startTime: Date;
  /** The stored duration in minutes, which may differ from the time between start and end. */
  readonly duration: number;
  /** The stored status, such as `complete`. */
  readonly status: string;
  /** What the meeting is about. */
  readonly topic: string;
  /** Exported as stored, also if it is empty. */
  readonly specialFocus: string;
  /** Who holds the meeting, in words. */
  readonly host: string;
  /** Where it takes place, or the service on which it is held. */
  readonly location: string;
  /** Null is exported as 0. */
  readonly price: number | null;
  /** The number of seats, exported as `max_attendees`. */
  readonly maxAttendees: number;
  /** Null is exported as null in JSON and as an empty field in CSV. */
  readonly description: string | null;
  /** The id of the user who leads the meeting, exported as `group_leader`; null: nobody does. */
  readonly groupLeaderId: number | null;
  /** Whether the meeting is private. */
  readonly privacy: boolean;
  /** Whether it is a meeting of the Employee Assistance Program. */
  readonly eap: boolean;
  /** Whether people can donate to the meeting. */
  readonly allowMeetingDonation: boolean;
  /** Whether only invited people can register. */
  readonly invitationOnly: boolean;
  /** Whether the meeting has a waitlist. */
  readonly waitList: boolean;
  /** When the stored meeting last changed, or the list of organizations that it is tied to. Exported like `startTime`. */
  readonly updatedAt: Date;
}

// `.github/CONTRIBUTING.md` lists the other files that a new column needs.
const COLUMNS = {
  name: ['Name', 'string', (meeting: ExportedMeeting) => meeting.name],
  meeting_type: ['Meeting Type', 'string', (meeting: ExportedMeeting) => meeting.meetingType],
  start_time: ['Start Time', 'instant', (meeting: ExportedMeeting) => meeting.startTime.toISOString()],
  duration: ['Duration', 'integer', (meeting: ExportedMeeting) => meeting.duration],
  status: ['Status', 'string', (meeting: ExportedMeeting) => meeting.status],
  topic: ['Topic', 'string', (meeting: ExportedMeeting) => meeting.topic],
  special_focus: ['Special Focus', 'string', (meeting: ExportedMeeting) => meeting.specialFocus],
  host: ['Host', 'string', (meeting: ExportedMeeting) => meeting.host],
  location: ['Location', 'string', (meeting: ExportedMeeting) => meeting.location],
  price: ['Price', 'price', (meeting: ExportedMeeting) => meeting.price ?? 0],
  max_attendees: ['Max Registrants', 'integer', (meeting: ExportedMeeting) => meeting.maxAttendees],
  meeting_description: ['Description', 'text or null', (meeting: ExportedMeeting) => meeting.description],
  group_leader_id: ['Group Leader', 'integer or null', (meeting: ExportedMeeting) => meeting.groupLeaderId],
  privacy: ['Privacy', 'boolean', (meeting: ExportedMeeting) => meeting.privacy],
  eap: ['EAP Meeting', 'boolean', (meeting: ExportedMeeting) => meeting.eap],
  allow_meeting_donation: [
    'Donation Allowed',
    'boolean',
    (meeting: ExportedMeeting) => meeting.allowMeetingDonation,
  ],
  invitation_only: ['Invitation Only', 'boolean', (meeting: ExportedMeeting) => meeting.invitationOnly],
  wait_list: ['Wait List', 'boolean', (meeting: ExportedMeeting) => meeting.waitList],
  id: ['ID', 'integer', (meeting: ExportedMeeting) => meeting.id],
  updated_at: ['Updated', 'instant', (meeting: ExportedMeeting) => meeting.updatedAt.toISOString()],
} as const satisfies Record<
  string,
  readonly [label: string, type: ExportColumn['type'], value: (meeting: ExportedMeeting) => unknown]
>;

/** The name of a column in requests. */
export type ExportColumnKey = keyof typeof COLUMNS;

export function columnValue(meeting: ExportedMeeting, key: ExportColumnKey): unknown {
  const [, , value] = COLUMNS[key];
  return value(meeting);
}

/** Every column that an export can have, in the order in which they are documented. */
export const exportColumns: readonly ExportColumn[] = Object.entries(COLUMNS).map(([key, [label, type]]) => ({
  key: key as ExportColumnKey,
  as: key === 'group_leader_id' ? 'group_leader' : key,
  label,
  type,
}));

const byKey = new Map<string, ExportColumn>(exportColumns.map((column) => [column.key, column]));

/**
 * Returns the requested columns in the requested order, each once.
 *
 * @throws `Refusal`: `invalid-request` that names the first unknown key and every allowed one.
 */
export function chooseColumns(keys: readonly Unchecked<ExportColumnKey>[]): readonly ExportColumn[] {
  return [...new Set(keys)].map((key) => {
    const column = byKey.get(key);
    if (column === undefined) {
      const message = `${quoted(key)} is not one of ${[...byKey.keys()].join(', ')}`;
      throw new Refusal('invalid-request', [{ field: 'columns', code: 'unknown', message }]);
    }
    return column;
  });
}

/** The first line of a CSV file: the labels. */
export function csvHeader(columns: readonly ExportColumn[]): string {
  return csvHeading(columns.map(({ label }) => label));
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
