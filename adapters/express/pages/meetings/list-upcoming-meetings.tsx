import type { OwnMeetings, UpcomingMeeting } from '@rollcall/core';
import { memberOfVisit } from '../calendar/create-calendar-feed.js';
import { Empty, Icon } from '../design/components.js';
import { noProblems } from '../design/form.js';
import { Pagination } from '../design/list.js';
import { type NoticeView, noticeOf } from '../design/notice.js';
import { ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { MeetingDays, MeetingFilters, NextMeeting } from './meeting-days.js';
import { foundBy, MeetingSearch, NothingFound, parametersOf, searchIn } from './meeting-search.js';

/** A member's own upcoming meetings with one organization. */
export const listUpcomingMeetings = memberPage({
  path: paths.meetings(':id'),
  section: 'my-meetings',
  async get(visit) {
    const { core, organization, session, request } = visit;
    const { page } = request.query;
    const search = searchIn(request);
    const path = paths.meetings(organization.id);
    const found = await foundBy(core.listOwnMeetings({ ...memberOfVisit(visit), page, search }));
    const isFound = 'meetings' in found;
    const isStart = isFound && found.currentPage === 1 && search === '';
    const next = isStart ? found.meetings.find(({ registeredAt }) => registeredAt !== null) : undefined;
    const notice = visit.consumeNoticeName();
    visit.show({
      problems: isFound ? noProblems : found,
      title: `Your meetings with ${organization.name}`,
      notice: notice === 'joined' ? joined(visit) : notice && noticeOf(notice),
      body: (
        <>
          <hgroup>
            <h1>
              Hello, <bdi>{session.user.firstName}</bdi>
            </h1>
            <p>
              {isFound && found.totalItems === 0 ? 'Your meetings with ' : 'Your upcoming meetings with '}
              <bdi>{organization.name}</bdi>
            </p>
          </hgroup>
          <MeetingFilters organization={organization} chosen="upcoming" />
          {isFound && next !== undefined && (
            <NextMeeting {...{ visit, next }} meetings={found} isPast={false} />
          )}
          <MeetingSearch {...{ path, search, found }} />
          {isFound && <UpcomingMeetings {...{ visit, search, next }} meetings={found} />}
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

interface UpcomingMeetingsProps {
  readonly visit: MemberVisit;
  readonly meetings: OwnMeetings;
  readonly search: string;
  readonly next: UpcomingMeeting | undefined;
}

function UpcomingMeetings({ visit, meetings, search, next }: UpcomingMeetingsProps) {
  const { organization, zone } = visit;
  const { totalItems, currentPage, totalPages } = meetings;
  if (totalItems === 0 && search === '') return <NoMeetings path={paths.calendar(organization.id)} />;
  if (meetings.meetings.length === 0)
    return <NothingFound path={paths.meetings(organization.id)} found={meetings} search={search} />;
  return (
    <>
      <div class="above-list">
        <a href={paths.calendar(organization.id)} class="with-icon">
          <Icon name="calendar" />
          Add all to your calendar
        </a>
        <ZoneNote zone={zone} />
      </div>
      <MeetingDays {...{ visit, meetings, next }} isPast={false} />
      <Pagination current={currentPage} total={totalPages} query={parametersOf(search)} />
    </>
  );
}

function NoMeetings({ path }: { readonly path: string }) {
  return (
    <Empty next={{ href: path, text: 'Set up your calendar' }}>
      You have no upcoming meetings. When you are registered or waitlisted for one, it appears here, and in
      your calendar if you like.
    </Empty>
  );
}
