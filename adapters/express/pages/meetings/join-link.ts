import type { UpcomingMeeting } from '@rollcall/core';

/** A meeting can be joined from this many milliseconds before its start. */
const JOIN_EARLY_MS = 15 * 60 * 1000;

/** The link by which a member joins a meeting. */
export interface JoinLink {
  readonly url: string;
  /** From then on the page has the link. */
  readonly opensAt: Date;
  readonly isOpen: boolean;
}

/** Null if the location is not a link, the member has no seat, or the meeting has ended. */
export function joinLinkOf(
  {
    location,
    startTime,
    endTime,
    registeredAt,
  }: Pick<UpcomingMeeting, 'location' | 'startTime' | 'endTime' | 'registeredAt'>,
  now: Date,
): JoinLink | null {
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
