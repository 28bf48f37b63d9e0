import type { Organization, OwnMeetings } from '@rollcall/core';
import { memberOfVisit } from '../calendar/create-calendar-feed.js';
import { Empty, Icon } from '../design/components.js';
import { Pagination, PastEnd } from '../design/list.js';
import { type NoticeView, noticeOf } from '../design/notice.js';
import { ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { MeetingDays, MeetingFilters } from './meeting-days.js';

/** A member's own upcoming meetings with one organization. */
export const listUpcomingMeetings = memberPage({
  path: paths.meetings(':id'),
  section: 'my-meetings',
  async get(visit) {
    const { core, organization, zone, session, request } = visit;
    const { page } = request.query;
    const meetings = await core.listOwnMeetings({ ...memberOfVisit(visit), page });
    const notice = visit.consumeNoticeName();
    visit.show({
      title: `Your meetings with ${organization.name}`,
      notice: notice === 'joined' ? joined(visit) : notice && noticeOf(notice),
      body: (
        <>
          <hgroup>
            <h1>
              Hello, <bdi>{session.user.firstName}</bdi>
            </h1>
            <p>
              {meetings.totalItems === 0 ? 'Your meetings with ' : 'Your upcoming meetings with '}
              <bdi>{organization.name}</bdi>
            </p>
          </hgroup>
          <MeetingFilters organization={organization} chosen="upcoming" />
          {meetings.meetings.length === 0 ? (
            <EmptyList {...{ organization, meetings }} />
          ) : (
            <>
              <div class="above-list">
                <a href={paths.calendar(organization.id)} class="with-icon">
                  <Icon name="calendar" />
                  Add all to your calendar
                </a>
                <ZoneNote zone={zone} />
              </div>
              <MeetingDays {...{ visit, meetings }} isPast={false} />
            </>
          )}
          <Pagination current={meetings.currentPage} total={meetings.totalPages} />
        </>
      ),
    });
  },
});

function joined({ session, organization }: MemberVisit): NoticeView {
  const text = (
    <>
      You have joined <bdi>{organization.name}</bdi>. Next time, sign in with <bdi>{session.user.email}</bdi>{' '}
      and your password.
    </>
  );
  return { text, tone: 'success' };
}

interface EmptyListProps {
  readonly organization: Organization;
  readonly meetings: OwnMeetings;
}

function EmptyList({ organization, meetings }: EmptyListProps) {
  if (meetings.totalItems > 0) return <PastEnd />;
  return (
    <Empty next={{ href: paths.calendar(organization.id), text: 'Set up your calendar' }}>
      You have no upcoming meetings. When you are registered or waitlisted for one, it appears here, and in
      your calendar if you like.
    </Empty>
  );
}
