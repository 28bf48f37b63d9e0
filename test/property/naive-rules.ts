/**
 * A naive implementation of the rules of the specification. It checks every meeting, and computes dates with Intl
 * instead of the code under test.
 */
import type { DatasetMeeting, DatasetRegistration, DatasetWaitingPlace } from '@rollcall/core/testing';

export interface NaiveExport {
  readonly organization: { readonly id: number; readonly eap: boolean };
  readonly reportingDays: string;
  readonly reportType: string;
  readonly startTime?: string | undefined;
  readonly endTime?: string | undefined;
  readonly timeZone: string;
  readonly now: Date;
}

export function naiveExport(meetings: readonly DatasetMeeting[], query: NaiveExport): readonly number[] {
  return meetings
    .filter((meeting) => isVisibleTo(meeting, query.organization))
    .filter((meeting) => query.reportType !== 'eap_meetings' || meeting.eap)
    .filter((meeting) => isInPreset(meeting, query))
    .filter(({ startTime }) => isInExplicitRange(startTime, query))
    .sort(byStartThenId)
    .map(({ id }) => id);
}

export interface NaiveUpcoming {
  readonly organizationId: number;
  readonly userId: number;
  readonly now: Date;
  readonly registrations: readonly DatasetRegistration[];
  readonly waitingPlaces: readonly DatasetWaitingPlace[];
}

/** The ID of each meeting, the waiting status, and whether the user is registered, in the order of the list. */
export function naiveUpcoming(
  meetings: readonly DatasetMeeting[],
  { organizationId, userId, now, registrations, waitingPlaces }: NaiveUpcoming,
): readonly (readonly [number, string | null, boolean])[] {
  return meetings
    .filter((meeting) => meeting.organizationId === organizationId || meeting.organizationId === null)
    .filter((meeting) => hasNotEnded(meeting, now))
    .flatMap((meeting) => {
      const isHere = (place: { readonly meetingId: number; readonly userId: number }): boolean =>
        place.meetingId === meeting.id && place.userId === userId;
      const isRegistered = registrations.some(isHere);
      const waiting = meeting.waitList ? waitingPlaces.find(isHere) : undefined;
      if (!isRegistered && waiting === undefined) return [];
      return [{ meeting, entry: [meeting.id, waiting?.status ?? null, isRegistered] as const }];
    })
    .sort((one, other) => byStartThenId(one.meeting, other.meeting))
    .map(({ entry }) => entry);
}

function isVisibleTo(meeting: DatasetMeeting, organization: NaiveExport['organization']): boolean {
  if (meeting.organizationId === organization.id) return true;
  const isTied = meeting.organizationId === null && meeting.eapOrganizationIds.includes(organization.id);
  return organization.eap && isTied;
}

function hasNotEnded({ endTime, status }: DatasetMeeting, now: Date): boolean {
  return endTime.getTime() > now.getTime() && status !== 'complete' && status !== 'cancel';
}

function isInPreset(meeting: DatasetMeeting, { reportingDays, now, timeZone }: NaiveExport): boolean {
  const start = localTime(meeting.startTime, timeZone);
  const today = localTime(now, timeZone);
  switch (reportingDays) {
    case 'all_upcoming':
      return hasNotEnded(meeting, now);
    case 'today':
      return start.day === today.day;
    case 'current_month':
      return start.day.slice(0, 7) === today.day.slice(0, 7);
    case 'last_week':
      return mondayOfWeek(start.day) === mondayOfWeek(today.day) - 7;
    case 'last_month':
      return monthNumber(start.day) === monthNumber(today.day) - 1;
    case 'custom':
    case 'everything':
      return true;
    default:
      return meeting.status === 'complete';
  }
}

function isInExplicitRange(
  startTime: Date,
  { startTime: start, endTime: end, timeZone }: NaiveExport,
): boolean {
  if (start === undefined || end === undefined) return true;
  const time = startTime.getTime();
  return time >= shownBetween(start, timeZone).first && time < shownBetween(end, timeZone).end;
}

interface Shown {
  readonly first: number;
  readonly end: number;
}

/** From when until when the local clock shows the minute. In a gap, both are the instant at which it begins. */
function shownBetween(text: string, timeZone: string): Shown {
  const [month = '', day = '', year = '', clock = '', half = ''] = text.split(/[/ ]/);
  const [hour = '', minute = ''] = clock.split(':');
  const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
  const wall = Date.UTC(Number(year), Number(month) - 1, Number(day), hours, Number(minute));
  const dayLength = 24 * 60 * 60 * 1000;
  const offsets = [wall - dayLength, wall + dayLength].map((time) => offsetAt(time, timeZone));
  const readings = offsets.map((offset) => wall - offset);
  const shown = readings.filter((time) => time + offsetAt(time, timeZone) === wall);
  if (shown.length > 0) return { first: Math.min(...shown), end: Math.max(...shown) + 60_000 };
  let [before, change] = [Math.min(...readings), Math.max(...readings)];
  while (change - before > 1) {
    const middle = Math.floor((before + change) / 2);
    if (offsetAt(middle, timeZone) === offsets[0]) before = middle;
    else change = middle;
  }
  return { first: change, end: change };
}

function offsetAt(time: number, timeZone: string): number {
  const { day, clock } = localTime(new Date(time), timeZone);
  return Date.parse(`${day}T${clock}Z`) - Math.floor(time / 1000) * 1000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function localTime(time: Date, timeZone: string): { readonly day: string; readonly clock: string } {
  const options = { dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23', timeZone } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', options);
  formats.set(timeZone, format);
  const [day = '', clock = ''] = format.format(time).split(' ');
  return { day, clock };
}

/** The Monday on or before a local day, in days since 1970. */
function mondayOfWeek(day: string): number {
  const date = new Date(`${day}T00:00:00Z`);
  return date.getTime() / 86_400_000 - ((date.getUTCDay() + 6) % 7);
}

function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
}

function byStartThenId(one: DatasetMeeting, other: DatasetMeeting): number {
  return one.startTime.getTime() - other.startTime.getTime() || one.id - other.id;
}
