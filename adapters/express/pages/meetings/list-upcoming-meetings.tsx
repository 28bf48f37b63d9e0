import type { Organization, OwnMeetings, User } from '@rollcall/core';
import { calendarPath } from '../calendar/create-calendar-feed.js';
import { Empty } from '../design/components.js';
import { Icon } from '../design/icon.js';
import { consumeNoticeName, type NoticeView, noticeOf } from '../design/notice.js';
import { Pagination } from '../design/pagination.js';
import { type TimeZone, ZoneNote } from '../design/times.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import type { PublicAddress } from '../public-address.js';
import { requireMember, showPageTo, type Visit } from '../visit.js';
import { MeetingDays, MeetingFilters } from './meeting-days.js';

/** A member's own upcoming meetings with one organization. */
export function listUpcomingMeetings(deps: PageDeps): Page {
  const { core, address, serviceName } = deps;
  return {
    path: '/organizations/:id/meetings',
    get: requireMember(deps, { role: 'member', section: 'my-meetings' }, async (visit) => {
      const { organization, zone, request, response } = visit;
      const { user } = visit.session;
      const { page } = request.query;
      const meetings = await core.listOwnMeetings({ organizationId: organization.id, userId: user.id, page });
      const notice = consumeNoticeName(deps, request, response);
      showPageTo(visit, deps, {
        title: `Your meetings with ${organization.name}`,
        notice: notice === 'joined' ? joined(visit) : notice && noticeOf(notice),
        body: <MeetingsView {...{ user, organization, meetings, zone, address, serviceName }} />,
      });
    }),
  };
}

interface MeetingsViewProps {
  readonly user: User;
  readonly organization: Organization;
  readonly meetings: OwnMeetings;
  readonly zone: TimeZone;
  readonly address: PublicAddress;
  readonly serviceName: string;
}

function MeetingsView(view: MeetingsViewProps) {
  const { user, organization, meetings, zone, address, serviceName } = view;
  return (
    <>
      <hgroup>
        <h1>
          Hello, <bdi>{user.firstName}</bdi>
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
            <a href={calendarPath(organization.id)} class="with-icon">
              <Icon name="calendar" />
              Add all to your calendar
            </a>
            <ZoneNote zone={zone} />
          </div>
          <MeetingDays {...{ organization, meetings, zone, address, serviceName }} isPast={false} />
        </>
      )}
      <Pagination current={meetings.currentPage} total={meetings.totalPages} />
    </>
  );
}

function joined({ session, organization }: Visit): NoticeView {
  const text = (
    <>
      You have joined <bdi>{organization.name}</bdi>. Next time, sign in with <bdi>{session.user.email}</bdi>{' '}
      and your password.
    </>
  );
  return { text, tone: 'success' };
}

function EmptyList({ organization, meetings }: Pick<MeetingsViewProps, 'organization' | 'meetings'>) {
  if (meetings.totalItems > 0)
    return <Empty next={{ href: '?page=1', text: 'Go to the first page' }}>This page is empty.</Empty>;
  return (
    <Empty next={{ href: calendarPath(organization.id), text: 'Set up your calendar' }}>
      You have no upcoming meetings. When you are registered or waitlisted for one, it appears here, and in
      your calendar if you like.
    </Empty>
  );
}
