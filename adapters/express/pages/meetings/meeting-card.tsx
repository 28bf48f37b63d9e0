import type { UpcomingMeeting } from '@rollcall/core';
import { isInCalendar } from '@rollcall/core/rules';
import { Avatar } from '../design/avatar.js';
import { Breakable, ButtonLink } from '../design/components.js';
import { Operator } from '../design/operator.js';
import { ClockTime, ShortDay, TimeRange, type TimeZone } from '../design/times.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { locationLabel } from './location-label.js';
import { ManageLink } from './manage-link.js';
import { isOffered, PlaceBadge } from './meeting-states.js';

interface MeetingCardProps {
  readonly visit: MemberVisit;
  readonly meeting: UpcomingMeeting;
  /** When the list was read. */
  readonly now: Date;
  /** The characters after which the description is cut. */
  readonly maxDescription: number;
  /** A past meeting has no status and cannot be joined or added to a calendar. */
  readonly isPast: boolean;
  /** Whether it is the first meeting of the page that can be joined now. */
  readonly isFirstToJoin: boolean;
  /** Whether the card has the day, because the heading above it has none. */
  readonly hasDay?: boolean;
}

/** One meeting of a member: when, where, with whom, its state, and what the member can do. */
export function MeetingCard(card: MeetingCardProps) {
  const { meeting, isPast } = card;
  const { zone, address, serviceName } = card.visit;
  const { groupLeader } = meeting;
  const name = `meeting-${meeting.id}`;
  const when = `time-${meeting.id}`;
  return (
    <article class="card meeting" aria-labelledby={`${name} ${when}`}>
      <p class="when" id={when}>
        {card.hasDay === true && (
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
          <PlaceBadge place={meeting} zone={zone} now={card.now} />
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
        <Fact label="Location" value={placeOf(meeting.location, serviceName)} />
      </dl>
      <div class="foot">
        {!isPast && <NextSteps {...card} about={name} />}
        <Description
          text={meeting.description ?? ''}
          max={card.maxDescription}
          about={name}
          isInFile={!isPast && isInCalendar(meeting)}
        />
      </div>
    </article>
  );
}

/** The host of a link. The link itself is behind the button. */
function placeOf(location: string, serviceName: string): string {
  const url = locationUrl(location);
  return url === null ? locationLabel(location, serviceName) : `Online, at ${url.host}`;
}

function NextSteps({
  visit,
  meeting,
  now,
  isFirstToJoin,
  about,
}: MeetingCardProps & { readonly about: string }) {
  const { organization, zone, meetingUrl } = visit;
  const add = `add-${meeting.id}`;
  const join = joinLinkOf(meeting, now);
  const canTake = isOffered(meeting, now);
  if (join === null && !isInCalendar(meeting) && !canTake && meetingUrl === null) return null;
  return (
    <div class="next">
      {canTake && <Offer visit={visit} />}
      {join !== null && <Join {...{ join, zone, isFirstToJoin }} name={meeting.name} />}
      <ManageLink {...{ visit, meeting }} isMain={canTake} />
      {isInCalendar(meeting) && (
        <a
          id={add}
          href={paths.calendarMeeting(organization.id, meeting.id)}
          aria-labelledby={`${add} ${about}`}
        >
          Add to calendar
        </a>
      )}
    </div>
  );
}

/** How to take a seat that is offered. */
function Offer({ visit }: Pick<MeetingCardProps, 'visit'>) {
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

/** The script loads the page again when the meeting can be joined. */
function Join({
  join: { url, opensAt, isOpen },
  zone,
  name,
  isFirstToJoin,
}: Pick<MeetingCardProps, 'isFirstToJoin'> & {
  readonly join: JoinLink;
  readonly zone: TimeZone;
  readonly name: string;
}) {
  if (!isOpen)
    return (
      <p data-reload-at={opensAt.toISOString()}>
        You can join here from <ClockTime at={opensAt} zone={zone} />.
      </p>
    );
  return (
    <ButtonLink
      kind={isFirstToJoin ? 'primary' : 'secondary'}
      href={url}
      label={`Join ${name}`}
      isExternal
      text="Join"
    />
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }) {
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

/** The description with its line breaks. It is often long, so it is closed at first. */
function Description({
  text,
  max,
  about,
  isInFile,
}: {
  readonly text: string;
  readonly max: number;
  readonly about: string;
  /** Whether the page offers the meeting as a calendar file, which has the whole text. */
  readonly isInFile: boolean;
}) {
  const whole = text.trim();
  if (whole === '') return null;
  const isCut = whole.length > max;
  return (
    <details>
      <summary aria-describedby={about}>Description</summary>
      <p class="description" dir="auto">
        <Breakable text={isCut ? `${beginning(whole, max)}…` : whole} />
      </p>
      {isCut && (
        <p>The rest is not shown here.{isInFile && ' To read it, add the meeting to your calendar.'}</p>
      )}
    </details>
  );
}

/** Without half a character at the end. */
function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** Long texts get a whole line instead of a tall column. */
function widthOf(text: string): string {
  return text.length > 60 ? 'wide' : 'short';
}

/** A meeting can be joined from this many milliseconds before its start. */
const JOIN_EARLY_MS = 15 * 60 * 1000;

/** The link by which a member joins a meeting. */
interface JoinLink {
  readonly url: string;
  /** From then on the page has the link. */
  readonly opensAt: Date;
  readonly isOpen: boolean;
}

/** Null if the location is not a link, the member has no seat, or the meeting has ended. */
export function joinLinkOf(meeting: UpcomingMeeting, now: Date): JoinLink | null {
  const { location, startTime, endTime, registeredAt } = meeting;
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
