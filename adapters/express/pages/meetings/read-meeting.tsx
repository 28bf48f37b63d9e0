import type { Attendee, MeetingReport } from '@rollcall/core';
import { NameLink } from '../design/avatar.js';
import { BackLink, Breakable, type Column, Facts } from '../design/components.js';
import { inEnglish, ListRows } from '../design/list.js';
import { Day, dayOf, TimeRange, Timestamp, type TimeZone } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { listPath } from '../place.js';
import { canonicalId, type PartProps } from '../visit.js';
import { locationLabel } from './location-label.js';
import { locationUrl, ManageLink } from './meeting-card.js';
import { inWords, MeetingStateView, PlaceBadge } from './meeting-states.js';

/** One of the organization's meetings: its facts, its seats, and who has one, unless names are not shown. */
export const readMeeting = memberPage({
  path: paths.organizationMeeting(':id', ':meetingId'),
  async get(visit) {
    const { core, organization, request } = visit;
    const meetingId = canonicalId(request.params.meetingId);
    const report = await core.readMeeting({ organization, meetingId, page: request.query.page });
    const { meeting } = report;
    visit.show(
      { title: meeting.name },
      <BackLink href={listPath(visit, paths.organizationMeetings(organization.id))}>Meetings</BackLink>,
      <div class="with-action">
        <h1>
          <bdi>{meeting.name}</bdi>
        </h1>
        {meeting.state === 'upcoming' && <ManageLink {...{ visit, meeting }} />}
      </div>,
      <section class="card" aria-labelledby="facts">
        <h2 id="facts" class="visually-hidden">
          About the meeting
        </h2>
        <MeetingFacts {...{ visit, report }} />
      </section>,
      <section aria-labelledby="people">
        <h2 id="people" class="list-title">
          People
        </h2>
        <People {...{ visit, report }} />
      </section>,
    );
  },
});

type ReportProps = PartProps<{ report: MeetingReport }>;

function MeetingFacts({ visit: { zone, serviceName }, report: { meeting, asOf } }: ReportProps) {
  const { startTime, endTime, topic, specialFocus, host, groupLeader, location, price } = meeting;
  const { description, seatsTaken, maxAttendees, waitList } = meeting;
  const marks = [
    meeting.privacy && 'Private',
    meeting.invitationOnly && 'By invitation only',
    meeting.eap && 'Employee Assistance Program',
    meeting.allowMeetingDonation && 'Donations',
    meeting.isOfService && 'Shared',
  ].filter((mark) => mark !== false);
  return (
    <Facts
      of={{
        When: (
          <>
            <Day day={dayOf(startTime, zone)} />, <TimeRange from={startTime} to={endTime} zone={zone} />
          </>
        ),
        Status: <MeetingStateView meeting={meeting} now={asOf} />,
        Seats: `${inEnglish(seatsTaken)} of ${inEnglish(maxAttendees)} seats taken`,
        Waitlist: waitList && waitingText(meeting),
        Topic: shown(topic),
        'Special focus': shown(specialFocus),
        Host: shown(host),
        'Group leader': groupLeader !== null && shown(groupLeader),
        Location: shown(locationUrl(location)?.href ?? locationLabel(location, serviceName)),
        Type: shown(inWords(meeting.meetingType)),
        Price: price !== null && price !== 0 && inEnglish(price),
        'Good to know': marks.length > 0 && marks.join(' · '),
        Description: description !== null && description.trim() !== '' && (
          <span class="description" dir="auto">
            <Breakable text={description.trim()} />
          </span>
        ),
      }}
    />
  );
}

/** A seat that is offered to one of them is not taken. */
function waitingText({ waiting, offered }: MeetingReport['meeting']): string {
  if (waiting === 0) return 'No one is waiting';
  const offers = `${inEnglish(offered)} ${offered === 1 ? 'is' : 'are'} offered a seat`;
  return `${inEnglish(waiting)} waiting${offered === 0 ? '' : ` (${offers})`}`;
}

/** A text of the data, which a fact is left out without. */
function shown(text: string) {
  return text.trim() !== '' && <bdi>{text}</bdi>;
}

function People({ visit, report: { meeting, people, asOf } }: ReportProps) {
  const { organization, zone, serviceName } = visit;
  if (people === null)
    return (
      <p>
        {meeting.isOfService
          ? `This meeting is shared: it is held by ${serviceName} for several organizations, so names are not shown.`
          : 'This meeting is private, so names are not shown.'}
      </p>
    );
  const others = meeting.seatsTaken - people.seated;
  return (
    <>
      {others > 0 && (
        <p class="list-count">
          {`${inEnglish(others)} ${others === 1 ? 'seat is' : 'seats are'} taken by people who are not members of `}
          <bdi>{organization.name}</bdi>.
        </p>
      )}
      <ListRows
        zone={zone}
        found={people}
        caption="People in the meeting"
        columns={columnsFor(organization.id, zone, asOf)}
        empty={<p>No member of your organization has a seat or is on the waitlist.</p>}
      />
    </>
  );
}

function columnsFor(organizationId: number, zone: TimeZone, now: Date): readonly Column<Attendee>[] {
  return [
    {
      title: 'Person',
      cell: ({ user }) => <NameLink to={paths.member(organizationId, user.id)} of={user} />,
    },
    { title: 'Place', cell: (attendee) => <PlaceBadge place={attendee} {...{ zone, now }} /> },
    {
      title: 'Registered',
      cell: ({ registeredAt }) => (registeredAt === null ? '–' : <Timestamp at={registeredAt} zone={zone} />),
    },
  ];
}
