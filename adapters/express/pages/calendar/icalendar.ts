import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { CalendarMeeting, Organization } from '@rollcall/core';
import { locationLabel } from '../meetings/location-label.js';
import { paths } from '../paths.js';

export const CALENDAR_MEDIA_TYPE = 'text/calendar; charset=utf-8';

/** The refresh interval that the file asks of calendar apps. */
const REFRESH_INTERVAL = 'PT1H';
/** The maximum length of a line, without its line break. */
const MAX_LINE_BYTES = 75;

interface CalendarFile {
  readonly organization: Pick<Organization, 'id' | 'name'>;
  /** The address of the pages, without a slash at the end. */
  readonly pagesUrl: string;
  readonly serviceName: string;
}

type Parts = AsyncIterable<readonly CalendarMeeting[]>;

/** The meetings in the format of RFC 5545, in UTC. A meeting has the same UID in every file, so that calendars show it once. */
export function calendarFile(file: CalendarFile, meetings: readonly CalendarMeeting[]): string {
  return calendarStart(file) + meetings.map((meeting) => event(meeting, file)).join('') + CALENDAR_END;
}

const PIECE_CHARACTERS = 65_536;

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a turn of the event loop of its own: many calendars at once would fill one turn, and hold up other requests. */
function ownTurn(): Promise<unknown> {
  last = last.then(() => setImmediate());
  return last;
}

/** The events of a file, in pieces between which other requests are answered. */
export async function* calendarEvents(file: CalendarFile, parts: Parts): AsyncGenerator<Uint8Array> {
  for await (const meetings of parts) {
    await ownTurn();
    let piece = '';
    for (const meeting of meetings) {
      piece += event(meeting, file);
      if (piece.length < PIECE_CHARACTERS) continue;
      yield Buffer.from(piece);
      piece = '';
    }
    if (piece !== '') yield Buffer.from(piece);
  }
}

/** Increase it when a release changes the format of the file. */
const FORMAT_VERSION = 2;

/** Changes with the content of the file, but not with the time of the request. */
export async function calendarVersion(
  { organization, ...address }: CalendarFile,
  parts: Parts,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([FORMAT_VERSION, organization, address]));
  for await (const meetings of parts) {
    await ownTurn();
    for (const { asOf: _, ...meeting } of meetings) hash.update(JSON.stringify(meeting));
  }
  return hash.digest('base64url');
}

export function calendarStart({ organization, serviceName }: CalendarFile): string {
  const name = escapeText(organization.name);
  return joinLines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${escapeText(serviceName)}//Rollcall//EN`,
    'METHOD:PUBLISH',
    `NAME:${name}`,
    `X-WR-CALNAME:${name}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH_INTERVAL}`,
    `X-PUBLISHED-TTL:${REFRESH_INTERVAL}`,
  ]);
}

export const CALENDAR_END = 'END:VCALENDAR\r\n';

function event(meeting: CalendarMeeting, { organization, pagesUrl, serviceName }: CalendarFile): string {
  const page = `${pagesUrl}${paths.meetings(organization.id)}`;
  const { startTime, endTime } = meeting;
  return joinLines([
    'BEGIN:VEVENT',
    `UID:meeting-${meeting.id}@${new URL(page).hostname}`,
    `DTSTAMP:${utc(meeting.asOf)}`,
    `SEQUENCE:${revisionAt(meeting.asOf)}`,
    `DTSTART:${utc(startTime)}`,
    // An end equal to the start is not allowed. Leaving it out means the same.
    ...(utc(endTime) > utc(startTime) ? [`DTEND:${utc(endTime)}`] : []),
    `SUMMARY:${escapeText(meeting.name)}`,
    `LOCATION:${escapeText(locationLabel(meeting.location, serviceName))}`,
    `DESCRIPTION:${escapeText(descriptionOf(meeting))}`,
    `URL:${page}`,
    `STATUS:${meeting.status === 'confirmed' ? 'CONFIRMED' : 'TENTATIVE'}`,
    'END:VEVENT',
  ]);
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function descriptionOf({ topic, description, groupLeader, status }: CalendarMeeting): string {
  const lines = [
    status === 'tentative' ? 'You are on the waitlist.' : '',
    topic === '' ? '' : `Topic: ${topic}`,
    groupLeader === null ? '' : `Group leader: ${groupLeader}`,
    description ?? '',
  ];
  return lines.filter((line) => line !== '').join('\n');
}

const SEQUENCE_EPOCH = Date.UTC(2020, 0);

/**
 * Calendars replace a meeting that they have only by one with a higher revision, which must be below 2^31. It counts
 * seconds, so that a file that was read later wins, whether the meeting or the member's place has changed.
 */
function revisionAt(time: Date): number {
  return Math.max(0, Math.floor((time.getTime() - SEQUENCE_EPOCH) / 1000));
}

/** `20261120T180000Z` */
function utc(time: Date): string {
  return time.toISOString().replace(/[-:]|\.\d+/g, '');
}

/** A value of type TEXT: special characters and line breaks are escaped, control characters replaced. */
function escapeText(text: string): string {
  return text
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replace(/\r\n?|[\n\u2028\u2029]/g, '\\n')
    .replace(/\p{Cc}/gu, ' ');
}

/** Cuts a long line between characters. Continuation lines begin with a space. */
function fold(line: string): string {
  const bytes = Buffer.from(line);
  if (bytes.length <= MAX_LINE_BYTES) return line;
  const pieces: string[] = [];
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = Math.min(start + (start === 0 ? MAX_LINE_BYTES : MAX_LINE_BYTES - 1), bytes.length);
    while (isContinuation(bytes[end])) end -= 1;
    pieces.push(bytes.toString('utf8', start, end));
  }
  return pieces.join('\r\n ');
}

/** Whether a byte of UTF-8 continues a character. */
function isContinuation(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}
