import type { OwnMeetings, UpcomingMeeting } from '@rollcall/core';
import { Day, dayOf, Month } from '../design/times.js';
import type { PartProps } from '../visit.js';
import { MeetingCard, type MeetingCardProps } from './meeting-card.js';

/** `next` is the meeting that stands above the list. */
type MeetingDaysProps = Omit<MeetingCardProps, 'meeting'> & { readonly next?: UpcomingMeeting | undefined };

/** The meetings of a list below the days or, if the cards have these, the months in which they begin. */
export function MeetingDays({ next, ...cards }: MeetingDaysProps) {
  const { visit, list, hasDay = false } = cards;
  const days = new Map<string, UpcomingMeeting[]>();
  for (const meeting of list.meetings) {
    if (meeting === next) continue;
    const day = dayOf(meeting.startTime, visit.zone).slice(0, hasDay ? 7 : 10);
    days.set(day, [...(days.get(day) ?? []), meeting]);
  }
  return (
    <>
      {[...days].map(([day, meetings]) => (
        <section key={day} class="day" aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>{hasDay ? <Month month={day} /> : <Day day={day} />}</h2>
          <ul class="plain meetings">
            {meetings.map((meeting) => (
              <li key={meeting.id}>
                <MeetingCard {...cards} meeting={meeting} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

type NextMeetingProps = PartProps<{ next: UpcomingMeeting; list: OwnMeetings }>;

/** The next meeting of a member, above the list. */
export function NextMeeting(props: NextMeetingProps) {
  const { next, ...card } = props;
  return (
    <section class="day next-meeting" aria-labelledby="next-meeting">
      <h2 id="next-meeting">
        <NextTitle {...props} />
      </h2>
      <MeetingCard {...card} meeting={next} />
    </section>
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** When the next meeting is, as people say it. */
function NextTitle({ visit: { zone }, next: { startTime }, list: { asOf } }: NextMeetingProps) {
  if (startTime <= asOf) return <>Your meeting has begun</>;
  const day = dayOf(startTime, zone);
  const [today, tomorrow] = [0, 1].map((days) => dayOf(new Date(asOf.getTime() + days * DAY_MS), zone));
  if (day === today) return <>Your next meeting is today</>;
  if (day === tomorrow) return <>Your next meeting is tomorrow</>;
  return (
    <>
      Your next meeting is on <Day day={day} />
    </>
  );
}
