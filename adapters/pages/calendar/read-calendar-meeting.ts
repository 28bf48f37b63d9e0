import type { Dashboard } from '../dashboard.js';
import type { Page } from '../page.js';
import { PageError } from '../page-error.js';
import { inOrganization } from '../visit.js';
import { calendarFile, calendarType } from './icalendar.js';

/** One meeting of the member as a calendar file. */
export function readCalendarMeeting(dashboard: Dashboard): Page {
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

/** Anything but a canonical number is not a meeting. */
function numberIn(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new PageError('not-found');
  return Number(text);
}
