import type { Organization, OwnMeetings, UpcomingMeeting } from '@rollcall/core';
import { memberOfVisit } from '../calendar/create-calendar-feed.js';
import { Empty, Filters, Icon } from '../design/components.js';
import { Pagination, PastEnd } from '../design/list.js';
import { type NoticeView, noticeOf } from '../design/notice.js';
import { Day, dayOf, ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { joinLinkOf, MeetingCard } from './meeting-card.js';

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

/** The meetings of one organization in which a member had a seat. */
export const listPastMeetings = memberPage({
  path: paths.pastMeetings(':id'),
  section: 'my-meetings',
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const { page } = request.query;
    const meetings = await core.listPastMeetings({ ...memberOfVisit(visit), page });
    visit.show({
      title: `Your past meetings with ${organization.name}`,
      body: (
        <>
          <hgroup>
            <h1>Past meetings</h1>
            <p>
              Your meetings with <bdi>{organization.name}</bdi>, the latest first
            </p>
          </hgroup>
          <MeetingFilters organization={organization} chosen="past" />
          {meetings.meetings.length === 0 ? (
            <NoMeetings path={paths.meetings(organization.id)} isPastEnd={meetings.totalItems > 0} />
          ) : (
            <>
              <ZoneNote zone={zone} />
              <MeetingDays {...{ visit, meetings }} isPast />
            </>
          )}
          <Pagination current={meetings.currentPage} total={meetings.totalPages} />
        </>
      ),
    });
  },
});

function NoMeetings({ path, isPastEnd }: { readonly path: string; readonly isPastEnd: boolean }) {
  if (isPastEnd) return <PastEnd />;
  return (
    <Empty next={{ href: path, text: 'Upcoming meetings' }}>
      Meetings that you had a seat in appear here after they end.
    </Empty>
  );
}

interface MeetingDaysProps {
  readonly visit: MemberVisit;
  readonly meetings: OwnMeetings;
  readonly isPast: boolean;
}

/** The characters of all descriptions of a page. Writing more would hold up other requests. */
const MAX_DESCRIPTIONS = 25_000;

/** The meetings of a list below the days on which they begin. */
function MeetingDays({ visit, meetings, isPast }: MeetingDaysProps) {
  const days = new Map<string, UpcomingMeeting[]>();
  for (const meeting of meetings.meetings) {
    const day = dayOf(meeting.startTime, visit.zone);
    days.set(day, [...(days.get(day) ?? []), meeting]);
  }
  const length = meetings.meetings.reduce((sum, { description }) => sum + (description?.length ?? 0), 0);
  const isLong = length > MAX_DESCRIPTIONS;
  const maxDescription = isLong ? Math.floor(MAX_DESCRIPTIONS / meetings.meetings.length) : length;
  const firstToJoin = meetings.meetings.find((meeting) => joinLinkOf(meeting, meetings.asOf)?.isOpen);
  return (
    <>
      {[...days].map(([day, meetingsOfDay]) => (
        <section key={day} class="day" aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>
            <Day day={day} />
          </h2>
          <ul class="meetings">
            {meetingsOfDay.map((meeting) => (
              <li key={meeting.id}>
                <MeetingCard
                  {...{ visit, meeting, isPast }}
                  now={meetings.asOf}
                  maxDescription={maxDescription}
                  isFirstToJoin={meeting === firstToJoin}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** Links between the member's two lists. */
function MeetingFilters({
  organization,
  chosen,
}: {
  readonly organization: Organization;
  readonly chosen: 'upcoming' | 'past';
}) {
  return (
    <Filters
      label="Your meetings"
      choices={[
        { name: 'upcoming', title: 'Upcoming', href: paths.meetings(organization.id) },
        { name: 'past', title: 'Past', href: paths.pastMeetings(organization.id) },
      ]}
      chosen={chosen}
    />
  );
}
