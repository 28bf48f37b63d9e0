import type { Organization, OwnMeetings, UpcomingMeeting } from '@rollcall/core';
import { Filters } from '../design/components.js';
import { Day, dayOf } from '../design/times.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { joinLinkOf, MeetingCard } from './meeting-card.js';

interface MeetingDaysProps {
  readonly visit: MemberVisit;
  readonly meetings: OwnMeetings;
  readonly isPast: boolean;
}

/** The characters of all descriptions of a page. Writing more would hold up other requests. */
const MAX_DESCRIPTIONS = 25_000;

/** The meetings of a list below the days on which they begin. */
export function MeetingDays({ visit, meetings, isPast }: MeetingDaysProps) {
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
export function MeetingFilters({
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
