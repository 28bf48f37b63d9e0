import type { MeetingState } from '@rollcall/core';
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

/** `not_confirmed` and `OneToOne` in words: "Not confirmed", "One to one". */
export function inWords(text: string): string {
  const words = text
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.replace(/^./u, (first) => first.toUpperCase()) || '–';
}
