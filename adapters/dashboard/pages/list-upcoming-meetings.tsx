import type { Organization, UpcomingMeeting, UpcomingMeetings, User, WaitingStatus } from '@rollcall/core';
import { Avatar } from '../avatar.js';
import type { Dashboard } from '../dashboard.js';
import type { Page } from '../page.js';
import { Pagination } from '../pagination.js';
import type { PublicAddress } from '../public-address.js';
import { Day, dayOf, TimeRange, type TimeZone, ZoneNote } from '../times.js';
import { inOrganization, showTo } from '../visit.js';

/** A member's own upcoming meetings with one organization. */
export function upcomingMeetings(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/meetings',
    get: inOrganization(dashboard, { role: 'member', section: 'my-meetings' }, async (visit) => {
      const { organization, zone, request } = visit;
      const { user } = visit.session;
      const { page } = request.query;
      const meetings = await core.listOwnMeetings({ organizationId: organization.id, userId: user.id, page });
      showTo(visit, dashboard, {
        title: `Your meetings with ${organization.name}`,
        body: <MeetingsView {...{ user, organization, meetings, zone }} address={dashboard.address} />,
      });
    }),
  };
}

interface MeetingsViewProps {
  readonly user: User;
  readonly organization: Organization;
  readonly meetings: UpcomingMeetings;
  readonly zone: TimeZone;
  readonly address: PublicAddress;
}

function MeetingsView({ user, organization, meetings, zone, address }: MeetingsViewProps) {
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
      {meetings.meetings.length === 0 ? (
        <Nothing meetings={meetings} />
      ) : (
        <>
          <ZoneNote zone={zone} />
          <Days meetings={meetings.meetings} zone={zone} address={address} />
        </>
      )}
      <Pagination current={meetings.currentPage} total={meetings.totalPages} />
    </>
  );
}

function Nothing({ meetings }: Pick<MeetingsViewProps, 'meetings'>) {
  return (
    <section class="card empty">
      {meetings.totalItems === 0 ? (
        <p>
          You have no upcoming meetings. As soon as you have a seat in a meeting, or wait for one, you find it
          here with its time, its place and how it stands.
        </p>
      ) : (
        <p>
          There is nothing on this page. <a href="?page=1">Go to the first page</a>
        </p>
      )}
    </section>
  );
}

interface DaysProps {
  readonly meetings: readonly UpcomingMeeting[];
  readonly zone: TimeZone;
  readonly address: PublicAddress;
}

function Days({ meetings, zone, address }: DaysProps) {
  const days = new Map<string, UpcomingMeeting[]>();
  for (const meeting of meetings) {
    const day = dayOf(meeting.startTime, zone);
    days.set(day, [...(days.get(day) ?? []), meeting]);
  }
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
                <Meeting {...{ meeting, zone, address }} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

interface MeetingProps {
  readonly meeting: UpcomingMeeting;
  readonly zone: TimeZone;
  readonly address: PublicAddress;
}

function Meeting({ meeting, zone, address }: MeetingProps) {
  const { groupLeader } = meeting;
  return (
    <article class="card meeting">
      <p class="when">
        <TimeRange from={meeting.startTime} to={meeting.endTime} zone={zone} />
        <span class="duration">{meeting.duration}</span>
      </p>
      <h3 dir="auto">{meeting.name}</h3>
      <Badges meeting={meeting} />
      <dl>
        <Fact label="Topic" value={meeting.topic} />
        {groupLeader !== null && (
          <div class={widthOf(groupLeader.name)}>
            <dt>Group leader</dt>
            <dd class="leader">
              <Avatar person={groupLeader} address={address} />
              <bdi>{groupLeader.name}</bdi>
            </dd>
          </div>
        )}
        <Fact label="Seats" value={`${meeting.registeredAttendees} of ${meeting.maxAttendees} seats taken`} />
        <Fact label="Location" value={meeting.location} />
      </dl>
    </article>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }) {
  if (value.trim() === '') return null;
  return (
    <div class={widthOf(value)}>
      <dt>{label}</dt>
      <dd dir="auto">{value}</dd>
    </div>
  );
}

/** What would be a tall column gets a line of its own. */
function widthOf(text: string): string {
  return text.length > 60 ? 'wide' : 'short';
}

type Tone = 'good' | 'waiting' | 'over';

const waitlistBadges: Record<WaitingStatus, { readonly words: string; readonly tone: Tone }> = {
  waiting: { words: 'On the waitlist', tone: 'waiting' },
  accepted: { words: 'Waitlist: accepted', tone: 'good' },
  rejected: { words: 'Waitlist: rejected', tone: 'over' },
  offered: { words: 'Waitlist: a seat is offered to you', tone: 'waiting' },
  expired: { words: 'Waitlist: the offer has expired', tone: 'over' },
};

function Badges({ meeting }: { readonly meeting: UpcomingMeeting }) {
  const { registeredAt, waitingStatus } = meeting;
  const badges = [
    ...(registeredAt === null ? [] : [{ words: 'Registered', tone: 'good' }]),
    ...(waitingStatus === null ? [] : [waitlistBadges[waitingStatus]]),
  ];
  return (
    <p class="badges">
      {badges.map(({ words, tone }) => (
        <span key={words} class={`badge ${tone}`}>
          {words}
        </span>
      ))}
    </p>
  );
}
