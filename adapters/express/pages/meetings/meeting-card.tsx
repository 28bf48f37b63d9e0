import type { OwnMeetings, UpcomingMeeting } from '@rollcall/core';
import { isInCalendar } from '@rollcall/core/rules';
import { Avatar } from '../design/avatar.js';
import { Breakable, ButtonLink } from '../design/components.js';
import { Operator } from '../design/operator.js';
import { ClockTime, ShortDay, TimeRange } from '../design/times.js';
import { paths } from '../paths.js';
import type { PartProps } from '../visit.js';
import { locationLabel } from './location-label.js';
import { isOffered, PlaceBadge } from './meeting-states.js';

export type MeetingCardProps = PartProps<{
  meeting: UpcomingMeeting;
  /** The page of the list that the meeting is on. */
  list: OwnMeetings;
  /** A past meeting has no status and cannot be joined or added to a calendar. */
  isPast?: boolean;
  /** Whether the card has the day, because the heading above it has none. */
  hasDay?: boolean;
}>;

/** One meeting of a member: when, where, with whom, its state, and what the member can do. */
export function MeetingCard(card: MeetingCardProps) {
  const { visit, meeting, list, isPast = false, hasDay = false } = card;
  const { zone, address, serviceName } = visit;
  const { groupLeader, location } = meeting;
  const url = locationUrl(location);
  const name = `meeting-${meeting.id}`;
  const when = `time-${meeting.id}`;
  return (
    <article class="card meeting" aria-labelledby={`${name} ${when}`}>
      <p class="when" id={when}>
        {hasDay && (
          <span class="date">
            <ShortDay at={meeting.startTime} zone={zone} />{' '}
          </span>
        )}
        <TimeRange from={meeting.startTime} to={meeting.endTime} zone={zone} />{' '}
        <span class="duration">{meeting.duration}</span>
      </p>
      <h3 id={name}>
        <bdi>{meeting.name}</bdi>
      </h3>
      {!isPast && (
        <p class="badges">
          <PlaceBadge place={meeting} zone={zone} now={list.asOf} />
        </p>
      )}
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
        {/* The link itself is behind the button. */}
        <Fact
          label="Location"
          value={url === null ? locationLabel(location, serviceName) : `Online, at ${url.host}`}
        />
      </dl>
      <div class="foot">
        {!isPast && <NextSteps {...card} />}
        <Description {...card} />
      </div>
    </article>
  );
}

function NextSteps({ visit, meeting, list: { meetings, asOf } }: MeetingCardProps) {
  const { organization, zone, meetingUrl } = visit;
  const add = `add-${meeting.id}`;
  const join = joinLinkOf(meeting, asOf);
  const canTake = isOffered(meeting, asOf);
  const firstToJoin = meetings.find((one) => joinLinkOf(one, asOf)?.isOpen);
  if (join === null && !isInCalendar(meeting) && !canTake && meetingUrl === null) return null;
  return (
    <div class="next">
      {canTake && <Offer visit={visit} />}
      {join?.isOpen === true && (
        <ButtonLink
          kind={meeting === firstToJoin ? 'primary' : 'secondary'}
          href={join.url}
          label={`Join ${meeting.name}`}
          isExternal
          text="Join"
        />
      )}
      {/* The script loads the page again when the meeting can be joined. */}
      {join?.isOpen === false && (
        <p data-reload-at={join.opensAt.toISOString()}>
          You can join here from <ClockTime at={join.opensAt} zone={zone} />.
        </p>
      )}
      <ManageLink {...{ visit, meeting }} isMain={canTake} />
      {isInCalendar(meeting) && (
        <a
          id={add}
          href={paths.calendarMeeting(organization.id, meeting.id)}
          aria-labelledby={`${add} meeting-${meeting.id}`}
        >
          Add to calendar
        </a>
      )}
    </div>
  );
}

type ManageLinkProps = PartProps<{
  meeting: { readonly id: number; readonly name: string };
  /** Whether the reader has to do something there. */
  isMain?: boolean;
}>;

/** Leads to the meeting on the operator's platform, which takes answers. Nothing if the operator has not set it. */
export function ManageLink({ visit, meeting, isMain = false }: ManageLinkProps) {
  if (visit.meetingUrl === null) return null;
  return (
    <ButtonLink
      kind={isMain ? 'primary' : 'secondary'}
      isSmall
      href={visit.meetingUrl.replace('{id}', String(meeting.id))}
      label={`Manage ${meeting.name}`}
      isExternal
      text="Manage"
    />
  );
}

/** How to take a seat that is offered. */
function Offer({ visit }: PartProps) {
  const { meetingUrl, supportUrl, serviceName, organization } = visit;
  if (meetingUrl !== null) return <p>To take the seat, choose “Manage” before the offer expires.</p>;
  return (
    <p>
      To take the seat, contact{' '}
      {supportUrl === null ? (
        <bdi>{organization.name}</bdi>
      ) : (
        <Operator visit={visit}>the people who run {serviceName}</Operator>
      )}{' '}
      before the offer expires.
    </p>
  );
}

function Fact({ label, value }: Readonly<Record<'label' | 'value', string>>) {
  if (value.trim() === '') return null;
  return (
    <div class={widthOf(value)}>
      <dt>{label}</dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </div>
  );
}

/** Long texts get a whole line instead of a tall column. */
function widthOf(text: string): string {
  return text.length > 60 ? 'wide' : 'short';
}

/** The characters of all descriptions of a page. Writing more would hold up other requests. */
const MAX_DESCRIPTIONS = 25_000;

/** The description with its line breaks. It is often long, so it is closed at first. */
function Description({ meeting, list: { meetings }, isPast = false }: MeetingCardProps) {
  const text = meeting.description?.trim() ?? '';
  if (text === '') return null;
  const length = meetings.reduce((sum, { description }) => sum + (description?.length ?? 0), 0);
  const max = length > MAX_DESCRIPTIONS ? Math.floor(MAX_DESCRIPTIONS / meetings.length) : length;
  const isCut = text.length > max;
  // Without half a character at the end.
  const beginning = text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
  // The calendar file has the whole text.
  const isInFile = !isPast && isInCalendar(meeting);
  return (
    <details>
      <summary aria-describedby={`meeting-${meeting.id}`}>Description</summary>
      <p class="description" dir="auto">
        <Breakable text={isCut ? `${beginning}…` : text} />
      </p>
      {isCut && (
        <p>The rest is not shown here.{isInFile && ' To read it, add the meeting to your calendar.'}</p>
      )}
    </details>
  );
}

/** A meeting can be joined from this many milliseconds before its start. */
const JOIN_EARLY_MS = 15 * 60 * 1000;

/**
 * The link by which a member joins a meeting, which the page has when it is open. Null if the location is not a link, the
 * member has no seat, or the meeting has ended.
 */
function joinLinkOf({ location, startTime, endTime, registeredAt }: UpcomingMeeting, now: Date) {
  const url = locationUrl(location);
  if (url === null || registeredAt === null || endTime <= now) return null;
  const opensAt = new Date(startTime.getTime() - JOIN_EARLY_MS);
  return { url: url.href, opensAt, isOpen: opensAt <= now };
}

/** Only HTTPS: a location comes from data, and another scheme could run a script. */
export function locationUrl(location: string): URL | null {
  const text = location.trim();
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return null;
  return new URL(text);
}
