import type { ExportedMeeting } from '../../../meetings/export-columns.js';
import { aMeeting, type DatasetMeeting } from '../../dataset.js';
import { hostileTexts } from '../../hostile-texts.js';
import { noon } from '../../noon.js';

/** A meeting for each hostile text, with every kind of number. Some lack the fields that may be null. */
export function hostileMeetings(): readonly DatasetMeeting[] {
  return hostileTexts.map((text, index) =>
    aMeeting(index + 1, {
      name: text,
      meetingType: text,
      status: index % 2 === 0 ? 'complete' : text,
      topic: text,
      specialFocus: text,
      host: text,
      description: index % 3 === 0 ? null : text,
      price: [null, 0, 0.1, 10, 12.5, 0.30000000000000004, 1e21, 1e-7][index % 8] ?? null,
      groupLeaderId: index % 2 === 0 ? 1 : null,
      privacy: index % 2 === 0,
      eap: index % 2 === 1,
      allowMeetingDonation: index % 3 === 0,
      invitationOnly: index % 3 === 1,
      waitList: index % 3 === 2,
      duration: index,
      updatedAt: new Date(noon.getTime() + 37 * index),
    } satisfies Omit<ExportedMeeting, 'id' | 'startTime' | 'location' | 'maxAttendees'>),
  );
}
