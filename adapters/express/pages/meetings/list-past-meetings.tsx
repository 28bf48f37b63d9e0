import { memberOfVisit } from '../calendar/create-calendar-feed.js';
import { Empty } from '../design/components.js';
import { foundBy, searchIn } from '../design/list.js';
import { ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { MeetingDays } from './meeting-days.js';
import { showOwnMeetings } from './own-meetings.js';

/** More meetings than these are below their months. */
const MAX_MEETINGS_BY_DAY = 10;

/** The meetings of one organization in which a member had a seat. */
export const listPastMeetings = memberPage({
  path: paths.pastMeetings(':id'),
  section: 'my-meetings',
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const { page } = request.query;
    const search = searchIn(request);
    const found = await foundBy(core.listPastMeetings({ ...memberOfVisit(visit), page, search }));
    showOwnMeetings(visit, {
      ...{ chosen: 'past', search, found },
      title: `Your past meetings with ${organization.name}`,
      head: (
        <>
          <h1>Past meetings</h1>
          <p>
            The meetings with <bdi>{organization.name}</bdi> in which you had a seat, the latest first
          </p>
        </>
      ),
      rows: (meetings) => (
        <>
          <ZoneNote zone={zone} />
          <MeetingDays {...{ visit, meetings }} isPast byMonth={meetings.totalItems > MAX_MEETINGS_BY_DAY} />
        </>
      ),
      none: (
        <Empty next={{ href: paths.meetings(organization.id), text: 'Upcoming meetings' }}>
          Meetings that you had a seat in appear here after they end.
        </Empty>
      ),
    });
  },
});
