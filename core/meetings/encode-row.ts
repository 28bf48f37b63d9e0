import { csvText } from '../values/csv.js';
import type { ExportColumn, ExportColumnKey, ExportForm } from './export-columns.js';

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

const values: Record<ExportColumnKey, (meeting: ExportedMeeting) => unknown> = {
  name: (meeting) => meeting.name,
  meeting_type: (meeting) => meeting.meetingType,
  start_time: (meeting) => meeting.startTime.toISOString(),
  duration: (meeting) => meeting.duration,
  status: (meeting) => meeting.status,
  topic: (meeting) => meeting.topic,
  special_focus: (meeting) => meeting.specialFocus,
  host: (meeting) => meeting.host,
  location: (meeting) => meeting.location,
  price: (meeting) => meeting.price ?? 0,
  max_attendees: (meeting) => meeting.maxAttendees,
  meeting_description: (meeting) => meeting.description,
  group_leader_id: (meeting) => meeting.groupLeaderId,
  privacy: (meeting) => meeting.privacy,
  eap: (meeting) => meeting.eap,
  allow_meeting_donation: (meeting) => meeting.allowMeetingDonation,
  invitation_only: (meeting) => meeting.invitationOnly,
  wait_list: (meeting) => meeting.waitList,
  id: (meeting) => meeting.id,
  updated_at: (meeting) => meeting.updatedAt.toISOString(),
};

/** Encodes one row in the `json` form. Parsed, the rows of every adapter must equal this one. */
export function encodeRow(meeting: ExportedMeeting, columns: readonly ExportColumn[]): string {
  return JSON.stringify(Object.fromEntries(columns.map(({ key, as }) => [as, values[key](meeting)])));
}

/** Encodes rows in the given form, as `Meetings.export` promises them. */
export function encodeRows(
  meetings: readonly ExportedMeeting[],
  { columns, form }: { readonly columns: readonly ExportColumn[]; readonly form: ExportForm },
): readonly string[] {
  if (form === 'csv') return meetings.map((meeting) => `${csvRecord(meeting, columns)}\r\n`);
  const rows = meetings.map((meeting) => encodeRow(meeting, columns));
  return rows.map((row, index) => (form === 'ndjson' ? `${row}\n` : (index === 0 ? '' : ',') + row));
}

function csvRecord(meeting: ExportedMeeting, columns: readonly ExportColumn[]): string {
  return columns
    .map(({ key, type }) => {
      const value = values[key](meeting);
      if (value === null) return '';
      return type === 'string' || type === 'text or null' ? csvText(String(value)) : String(value);
    })
    .join(',');
}
