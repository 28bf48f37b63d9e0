import type { Attendee, MeetingState, WaitingStatus } from '@rollcall/core';
import { Badge, type Tone } from '../design/components.js';
import { StartTime, type TimeZone } from '../design/times.js';

const titles: Readonly<Record<Exclude<MeetingState, 'upcoming'>, readonly [title: string, tone: Tone]>> = {
  past: ['Completed', 'success'],
  canceled: ['Canceled', 'neutral'],
  ended: ['Not completed', 'pending'],
};

interface MeetingStateProps {
  readonly meeting: { readonly state: MeetingState; readonly status: string; readonly startTime: Date };
  readonly now: Date;
}

/** What has become of a meeting, in words. An upcoming one has its stored status, such as `rescheduled`. */
export function MeetingStateView({ meeting: { state, status, startTime }, now }: MeetingStateProps) {
  if (state !== 'upcoming') return <Badge tone={titles[state][1]}>{titles[state][0]}</Badge>;
  if (startTime <= now) return <Badge tone="success">Under way</Badge>;
  return <bdi>{inWords(status)}</bdi>;
}

const places: Readonly<Record<WaitingStatus | 'seat', readonly [title: string, tone: Tone]>> = {
  seat: ['Registered', 'success'],
  waiting: ['On the waitlist', 'pending'],
  offered: ['A seat is offered', 'pending'],
  accepted: ['Offer accepted', 'success'],
  rejected: ['Offer rejected: no seat', 'neutral'],
  expired: ['Offer expired: no seat', 'neutral'],
};

type Place = Omit<Attendee, 'user'>;

/** Whether a seat is offered, as far as is known. */
export function isOffered({ registeredAt, waitingStatus, offeredUntil }: Place, now: Date): boolean {
  return (
    registeredAt === null && waitingStatus === 'offered' && (offeredUntil === null || offeredUntil > now)
  );
}

type PlaceProps = Readonly<{ place: Place; zone: TimeZone; now: Date }>;

/** The place of a person in a meeting. A seat says all that a place on the waitlist was for. */
export function PlaceBadge({ place, zone, now }: PlaceProps) {
  const { registeredAt, waitingStatus, offeredUntil } = place;
  const title = registeredAt === null ? waitingStatus : 'seat';
  if (title !== 'offered' || offeredUntil === null)
    return title && <Badge tone={places[title][1]}>{places[title][0]}</Badge>;
  const isOpen = isOffered(place, now);
  return (
    <Badge tone={isOpen ? 'pending' : 'neutral'}>
      {isOpen ? 'A seat is offered until' : 'The offer ended'}{' '}
      <StartTime at={offeredUntil} {...{ zone, now }} />
    </Badge>
  );
}

/** `not_confirmed` and `OneToOne` in words: "Not confirmed", "One to one". */
export function inWords(text: string): string {
  const words = text
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.replace(/^./u, (first) => first.toUpperCase()) || '–';
}
