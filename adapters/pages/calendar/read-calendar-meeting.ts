import type { Dashboard } from '../dashboard.js';
import type { Page } from '../page.js';
import { PageError } from '../page-error.js';
import { inOrganization } from '../visit.js';
import { calendarFile, calendarType } from './icalendar.js';

/** One meeting of the member, as a file for their calendar. */
export function calendarMeeting(dashboard: Dashboard): Page {
  const { core, serviceName, address } = dashboard;
  return {
    path: '/organizations/:id/meetings/:meetingId.ics',
    get: inOrganization(
      dashboard,
      { role: 'member', section: 'my-meetings' },
      async ({ session, organization, request, response }) => {
        const meetingId = numberIn(String(request.params.meetingId));
        const member = { organizationId: organization.id, userId: session.user.id };
        const meeting = await core.readCalendarMeeting({ ...member, meetingId });
        response.attachment(`meeting-${meetingId}.ics`).type(calendarType);
        response.send(
          calendarFile({ organization, meetings: [meeting], origin: address.origin, serviceName }),
        );
      },
    ),
  };
}

/** The number as it is written; anything else is no meeting. */
function numberIn(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new PageError('not-found');
  return Number(text);
}
