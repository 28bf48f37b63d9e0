import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { CalendarMeeting, Organization } from '@rollcall/core';
import { locationWords } from '../location.js';
import { memberPath } from '../session.js';

export const calendarType = 'text/calendar; charset=utf-8';

/** After which calendar programs may ask again, as the file tells them. */
const REFRESH = 'PT1H';
/** Octets of a line, without its end. */
const LONGEST_LINE = 75;

export interface CalendarFile {
  readonly organization: Pick<Organization, 'id' | 'name'>;
  readonly meetings: readonly CalendarMeeting[];
  /** Of the pages. */
  readonly origin: string;
  readonly serviceName: string;
}

/**
 * The meetings as RFC 5545 wants them, in UTC. A meeting has the same UID in every file, so that a calendar holds
 * it once.
 */
export function calendarFile(file: CalendarFile): string {
  return beginning(file) + file.meetings.map((meeting) => event(meeting, file)).join('') + ENDING;
}

/** Meetings of one turn: others are answered between them, however many there are. */
const MEETINGS_A_TURN = 25;

/** What `calendarFile` gives, a turn at a time. */
export async function renderCalendar(file: CalendarFile): Promise<Buffer> {
  const parts = [Buffer.from(beginning(file))];
  for (let start = 0; start < file.meetings.length; start += MEETINGS_A_TURN) {
    const some = file.meetings.slice(start, start + MEETINGS_A_TURN);
    parts.push(Buffer.from(some.map((meeting) => event(meeting, file)).join('')));
    await setImmediate();
  }
  return Buffer.concat([...parts, Buffer.from(ENDING)]);
}

/** To be raised when the same meetings are written otherwise than in the release before. */
const FORM = 1;

/** Another text when the file shows something else; when it was asked for is no difference. A turn at a time. */
export async function calendarVersion({ organization, meetings, ...address }: CalendarFile): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([FORM, organization, address]));
  for (let start = 0; start < meetings.length; start += MEETINGS_A_TURN) {
    const shown = meetings.slice(start, start + MEETINGS_A_TURN).map(({ asOf: _, ...meeting }) => meeting);
    hash.update(JSON.stringify(shown));
    await setImmediate();
  }
  return hash.digest('base64url');
}

function beginning({ organization, serviceName }: CalendarFile): string {
  const name = textOf(organization.name);
  return textOfLines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${textOf(serviceName)}//Rollcall//EN`,
    'METHOD:PUBLISH',
    `NAME:${name}`,
    `X-WR-CALNAME:${name}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
  ]);
}

const ENDING = 'END:VCALENDAR\r\n';

function event(meeting: CalendarMeeting, { organization, origin, serviceName }: CalendarFile): string {
  const page = `${origin}${memberPath(organization.id)}`;
  return textOfLines(eventLines(meeting, { page, serviceName }));
}

function textOfLines(lines: readonly string[]): string {
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function eventLines(
  meeting: CalendarMeeting,
  { page, serviceName }: { readonly page: string } & Pick<CalendarFile, 'serviceName'>,
): readonly string[] {
  const { startTime, endTime } = meeting;
  return [
    'BEGIN:VEVENT',
    `UID:meeting-${meeting.id}@${new URL(page).hostname}`,
    `DTSTAMP:${utc(meeting.asOf)}`,
    `DTSTART:${utc(startTime)}`,
    // An end at the start is not allowed, and is what no end means.
    ...(utc(endTime) > utc(startTime) ? [`DTEND:${utc(endTime)}`] : []),
    `SUMMARY:${textOf(meeting.name)}`,
    `LOCATION:${textOf(locationWords(meeting.location, serviceName))}`,
    `DESCRIPTION:${textOf(descriptionOf(meeting))}`,
    `URL:${page}`,
    `STATUS:${meeting.status === 'confirmed' ? 'CONFIRMED' : 'TENTATIVE'}`,
    'END:VEVENT',
  ];
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

/** `20261120T180000Z` */
function utc(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d+/g, '');
}

/** As a value of type TEXT: what would end it is escaped, and there are no control characters. */
function textOf(text: string): string {
  return text
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replace(/\r\n?|\n/g, '\\n')
    .replace(/\p{Cc}/gu, ' ');
}

/** Cut between characters into lines that are not too long; all but the first begin with a space. */
function fold(line: string): string {
  const octets = Buffer.from(line);
  if (octets.length <= LONGEST_LINE) return line;
  const pieces: string[] = [];
  for (let start = 0, end = 0; start < octets.length; start = end) {
    end = Math.min(start + (start === 0 ? LONGEST_LINE : LONGEST_LINE - 1), octets.length);
    while (isInsideCharacter(octets[end])) end -= 1;
    pieces.push(octets.toString('utf8', start, end));
  }
  return pieces.join('\r\n ');
}

/** Whether an octet of UTF-8 is none that a character begins with. */
function isInsideCharacter(octet = 0): boolean {
  return (octet & 0b1100_0000) === 0b1000_0000;
}
