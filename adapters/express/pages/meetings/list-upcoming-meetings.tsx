import { memberOfVisit } from '../calendar/create-calendar-feed.js';
import { Empty, Icon } from '../design/components.js';
import { foundBy, searchIn } from '../design/list.js';
import { ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { MeetingDays, NextMeeting } from './meeting-days.js';
import { showOwnMeetings } from './own-meetings.js';

/** A member's own upcoming meetings with one organization. */
export const listUpcomingMeetings = memberPage({
  path: paths.meetings(':id'),
  section: 'my-meetings',
  async get(visit) {
    const { core, organization, session, zone, request } = visit;
    const { page } = request.query;
    const search = searchIn(request);
    const found = await foundBy(core.listOwnMeetings({ ...memberOfVisit(visit), page, search }));
    const isFound = 'meetings' in found;
    const isStart = isFound && found.currentPage === 1 && search === '';
    const next = isStart ? found.meetings.find(({ registeredAt }) => registeredAt !== null) : undefined;
    const notice = visit.consumeNotice();
    showOwnMeetings(visit, {
      ...{ chosen: 'upcoming', search, found },
      title: `Your meetings with ${organization.name}`,
      notice: notice?.name === 'joined' ? { ...notice, text: <Joined {...visit} /> } : notice,
      head: (
        <>
          <h1>
            Hello, <bdi>{session.user.firstName}</bdi>
          </h1>
          <p>
            {isFound && found.totalItems === 0 ? 'Your meetings with ' : 'Your upcoming meetings with '}
            <bdi>{organization.name}</bdi>
          </p>
        </>
      ),
      above: isFound && next !== undefined && (
        <NextMeeting {...{ visit, next }} meetings={found} isPast={false} />
      ),
      rows: (meetings) => (
        <>
          <div class="above-list">
            <a href={paths.calendar(organization.id)} class="with-icon">
              <Icon name="calendar" />
              Add all to your calendar
            </a>
            <ZoneNote zone={zone} />
          </div>
          <MeetingDays {...{ visit, meetings, next }} isPast={false} />
        </>
      ),
      none: (
        <Empty next={{ href: paths.calendar(organization.id), text: 'Set up your calendar' }}>
          You have no upcoming meetings. When you are registered or waitlisted for one, it appears here, and
          in your calendar if you like.
        </Empty>
      ),
    });
  },
});

function Joined({ session, organization }: Pick<MemberVisit, 'session' | 'organization'>) {
  return (
    <>
      You have joined <bdi>{organization.name}</bdi>. Next time, sign in with <bdi>{session.user.email}</bdi>{' '}
      and your password.
    </>
  );
}
