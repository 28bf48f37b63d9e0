import type { ExportColumn, ExportColumnKey } from '../meetings/export-columns.js';
import type { DatasetMeeting } from './dataset.js';

const values: Record<ExportColumnKey, (meeting: DatasetMeeting) => unknown> = {
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
};

/** One exported row as the `json` form promises it: what every adapter's bytes are compared with, parsed. */
export function encodeRow(meeting: DatasetMeeting, columns: readonly ExportColumn[]): string {
  return JSON.stringify(Object.fromEntries(columns.map(({ key, as }) => [as, values[key](meeting)])));
}
