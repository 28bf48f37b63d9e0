import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { requireMember } from '../visit.js';
import { CALENDAR_MEDIA_TYPE, calendarFile } from './icalendar.js';

/** One meeting of the member as a calendar file. */
export function readCalendarMeeting(deps: PageDeps): Page {
  const { core, serviceName, address } = deps;
  return {
    path: '/organizations/:id/meetings/:meetingId.ics',
    get: requireMember(
      deps,
      { role: 'member', section: 'my-meetings' },
      async ({ session, organization, request, response }) => {
        const meetingId = meetingIdIn(String(request.params.meetingId));
        const member = { organizationId: organization.id, userId: session.user.id };
        const meeting = await core.readCalendarMeeting({ ...member, meetingId });
        response.attachment(`meeting-${meetingId}.ics`).type(CALENDAR_MEDIA_TYPE);
        response.send(calendarFile({ organization, pagesUrl: address.url, serviceName }, [meeting]));
      },
    ),
  };
}

/** Anything but a canonical number is not a meeting. */
function meetingIdIn(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new PageError('not-found');
  return Number(text);
}
