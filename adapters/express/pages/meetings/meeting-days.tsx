import type { OwnMeetings, UpcomingMeeting } from '@rollcall/core';
import { Day, dayOf, Month } from '../design/times.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { joinLinkOf, MeetingCard } from './meeting-card.js';

interface MeetingDaysProps {
  readonly visit: MemberVisit;
  readonly meetings: OwnMeetings;
  readonly isPast: boolean;
  /** The meeting that stands above the list. */
  readonly next?: UpcomingMeeting | undefined;
  /** Whether they are below the months in which they begin, instead of the days. */
  readonly byMonth?: boolean;
}

/** The meetings of a list below the days or months in which they begin. */
export function MeetingDays({ next, ...list }: MeetingDaysProps) {
  const { visit, meetings, byMonth = false } = list;
  const days = new Map<string, UpcomingMeeting[]>();
  for (const meeting of meetings.meetings) {
    if (meeting === next) continue;
    const day = dayOf(meeting.startTime, visit.zone).slice(0, byMonth ? 7 : 10);
    days.set(day, [...(days.get(day) ?? []), meeting]);
  }
  return (
    <>
      {[...days].map(([day, meetingsOfDay]) => (
        <section key={day} class="day" aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>{byMonth ? <Month month={day} /> : <Day day={day} />}</h2>
          <ul class="plain meetings">
            {meetingsOfDay.map((meeting) => (
              <li key={meeting.id}>
                <Card {...list} meeting={meeting} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** The next meeting of a member, above the list. */
export function NextMeeting({ next, ...list }: MeetingDaysProps & { readonly next: UpcomingMeeting }) {
  return (
    <section class="day next-meeting" aria-labelledby="next-meeting">
      <h2 id="next-meeting">
        <NextTitle visit={list.visit} next={next} now={list.meetings.asOf} />
      </h2>
      <Card {...list} meeting={next} />
    </section>
  );
}

/** The characters of all descriptions of a page. Writing more would hold up other requests. */
const MAX_DESCRIPTIONS = 25_000;

interface CardProps extends Omit<MeetingDaysProps, 'next'> {
  readonly meeting: UpcomingMeeting;
}

function Card({ visit, meetings: { meetings, asOf }, meeting, isPast, byMonth = false }: CardProps) {
  const length = meetings.reduce((sum, { description }) => sum + (description?.length ?? 0), 0);
  const isLong = length > MAX_DESCRIPTIONS;
  const firstToJoin = meetings.find((one) => joinLinkOf(one, asOf)?.isOpen);
  return (
    <MeetingCard
      {...{ visit, meeting, isPast }}
      now={asOf}
      maxDescription={isLong ? Math.floor(MAX_DESCRIPTIONS / meetings.length) : length}
      isFirstToJoin={meeting === firstToJoin}
      hasDay={byMonth}
    />
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** When the next meeting is, as people say it. */
function NextTitle({
  visit: { zone },
  next: { startTime },
  now,
}: PartProps<{ next: UpcomingMeeting; now: Date }>) {
  if (startTime <= now) return <>Your meeting has begun</>;
  const day = dayOf(startTime, zone);
  const [today, tomorrow] = [0, 1].map((days) => dayOf(new Date(now.getTime() + days * DAY_MS), zone));
  if (day === today) return <>Your next meeting is today</>;
  if (day === tomorrow) return <>Your next meeting is tomorrow</>;
  return (
    <>
      Your next meeting is on <Day day={day} />
    </>
  );
}
