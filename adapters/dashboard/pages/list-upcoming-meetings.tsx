import type { Organization, UpcomingMeeting, UpcomingMeetings, User, WaitingStatus } from '@rollcall/core';
import type { Request } from 'express';
import { Avatar } from '../avatar.js';
import type { Dashboard } from '../dashboard.js';
import { formToken } from '../form-guard.js';
import { show } from '../layout.js';
import type { Page } from '../page.js';
import { PageError } from '../page-error.js';
import { Pagination } from '../pagination.js';
import type { PublicAddress } from '../public-address.js';
import { signedIn, stayInside } from '../session.js';
import { Day, dayOf, TimeRange } from '../times.js';

/** A member's own upcoming meetings with one organization. */
export function upcomingMeetings(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/meetings',
    get: signedIn(dashboard, async (session, request, response) => {
      const organizationId = organizationIn(request);
      stayInside(session, organizationId);
      const { user } = session;
      const { page } = request.query;
      const meetings = await core.listOwnMeetings({ organizationId, userId: user.id, page });
      const memberships = await core.listMemberships({ userId: user.id });
      const here = memberships.find(({ organization }) => organization.id === organizationId);
      if (here === undefined) throw new PageError('not-found');

      const hasOthers = session.boundTo === null && memberships.length > 1;
      show(dashboard, response, {
        title: `Your meetings with ${here.organization.name}`,
        signedIn: { user, formToken: formToken(dashboard, request, response) },
        body: <MeetingsView {...{ user, meetings, hasOthers }} {...here} address={dashboard.address} />,
      });
    }),
  };
}

/** The number as it is written; anything else is no organization. */
function organizationIn(request: Request): number {
  const text = String(request.params.id);
  const id = Number(text);
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw new PageError('not-found');
  return id;
}

interface MeetingsViewProps {
  readonly user: User;
  readonly organization: Organization;
  readonly meetings: UpcomingMeetings;
  /** Whether there are other organizations to go to. */
  readonly hasOthers: boolean;
  readonly address: PublicAddress;
}

function MeetingsView({ user, organization, meetings, hasOthers, address }: MeetingsViewProps) {
  return (
    <>
      <hgroup>
        <h1>
          Hello, <bdi>{user.firstName}</bdi>
        </h1>
        <p>
          {meetings.totalItems === 0 ? 'Your meetings with ' : 'Your upcoming meetings with '}
          <bdi>{organization.name}</bdi>
          {hasOthers && (
            <>
              {' · '}
              <a href="/meetings">Other organizations</a>
            </>
          )}
        </p>
      </hgroup>
      {meetings.meetings.length === 0 ? (
        <Nothing meetings={meetings} />
      ) : (
        <Days meetings={meetings.meetings} address={address} />
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

type MeetingsProps = { readonly meetings: readonly UpcomingMeeting[]; readonly address: PublicAddress };

function Days({ meetings, address }: MeetingsProps) {
  const days = [...new Set(meetings.map(({ startTime }) => dayOf(startTime)))];
  return (
    <>
      {days.map((day) => (
        <section key={day} class="day" aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>
            <Day moment={new Date(day)} />
          </h2>
          <ul class="meetings">
            {meetings
              .filter(({ startTime }) => dayOf(startTime) === day)
              .map((meeting) => (
                <li key={meeting.id}>
                  <Meeting meeting={meeting} address={address} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Meeting({
  meeting,
  address,
}: {
  readonly meeting: UpcomingMeeting;
  readonly address: PublicAddress;
}) {
  const { groupLeader } = meeting;
  return (
    <article class="card meeting">
      <p class="when">
        <TimeRange from={meeting.startTime} to={meeting.endTime} />
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
