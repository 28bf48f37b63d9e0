import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { canonicalId } from '../visit.js';
import { memberOfVisit } from './create-calendar-feed.js';
import { CALENDAR_MEDIA_TYPE, calendarFile } from './icalendar.js';

export const readCalendarMeeting = memberPage({
  path: paths.calendarMeeting(':id', ':meetingId'),
  async get(visit) {
    const { core, organization, address, serviceName, request, response } = visit;
    const meetingId = canonicalId(request.params.meetingId);
    const meeting = await core.readCalendarMeeting({ ...memberOfVisit(visit), meetingId });
    response.attachment(`meeting-${meetingId}.ics`).type(CALENDAR_MEDIA_TYPE);
    response.send(calendarFile({ organization, pagesUrl: address.url, serviceName }, [meeting]));
  },
});
