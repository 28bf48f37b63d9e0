import type { MeetingState, WaitingStatus } from '@rollcall/core';
import { Badge, type Tone } from '../design/components.js';

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
  rejected: ['Offer rejected', 'neutral'],
  expired: ['Offer expired', 'neutral'],
};

interface PlaceProps {
  readonly registeredAt: Date | null;
  readonly waitingStatus: WaitingStatus | null;
}

/** The place of a person in a meeting. A seat says all that a place on the waitlist was for. */
export function PlaceBadge({ registeredAt, waitingStatus }: PlaceProps) {
  const place = registeredAt === null ? waitingStatus : 'seat';
  return place && <Badge tone={places[place][1]}>{places[place][0]}</Badge>;
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
