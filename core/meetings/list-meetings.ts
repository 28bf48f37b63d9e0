import { Temporal } from 'temporal-polyfill';
import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { searchWords } from '../users/search-words.js';
import { localDay, startOfDay } from '../values/day.js';
import { checkId } from '../values/ids.js';
import { checkOneOf } from '../values/one-of.js';
import { clampPage, type PageOf, type PageRequest, pageOf, pageOffset } from '../values/page.js';
import { Problems } from '../values/problems.js';
import { calendarDays } from './calendar-days.js';
import {
  type MeetingDates,
  type MeetingSearch,
  type MeetingState,
  meetingState,
  meetingStates,
} from './meeting.js';
import type { ListedMeeting } from './ports/meetings.js';

/** The request of `listMeetings`. */
export interface ListMeetings extends PageRequest, MeetingSearch {
  /** The organization that `authorize` or `authorizeMember` returned, with its `eap` and `timeZone`. */
  readonly organization: Organization;
  /** Left out: meetings in every state. */
  readonly state?: MeetingState | undefined;
  /** When the meetings start. Left out: between `from` and `to`. */
  readonly dates?: MeetingDates | undefined;
  /** The first day on which meetings start, such as `2026-11-20`. Empty or left out: no limit. */
  readonly from?: string | undefined;
  /** The last such day. */
  readonly to?: string | undefined;
  /** By time; left out: `earliest` first. */
  readonly order?: 'earliest' | 'latest' | undefined;
}

/** One page of the meetings that an organization sees. */
export interface ListedMeetings extends PageOf<ListedMeeting & { readonly state: MeetingState }> {
  /** How many of all pages are canceled. */
  readonly canceled: number;
  /** The first and the last day on which the meetings start, such as `2026-11-20`; null: no limit. */
  readonly days: { readonly from: string | null; readonly to: string | null };
  /** The zone of these days. */
  readonly timeZone: string;
  /** When the list was read. */
  readonly asOf: Date;
}

/**
 * Lists the meetings of an organization, by time: the same as an export of `all_meetings` has, with its seats.
 *
 * @throws `Refusal`: `invalid-request` with every day that does not exist, and if the search is too long or has too many
 * words. `TypeError` if `organization.id` is not an id, or if `state`, `dates` or `order` is unknown.
 */
export async function listMeetings(
  { meetings, clock, settings }: Uses<'clock.now' | 'meetings.list' | 'settings.reportingTimeZone'>,
  { organization, search = '', state, order = 'earliest', ...request }: ListMeetings,
): Promise<ListedMeetings> {
  const organizationId = checkId('organization.id', organization.id);
  if (state !== undefined) checkOneOf('state', meetingStates, state);
  checkOneOf('order', ['earliest', 'latest'], order);
  const now = clock.now();
  const timeZone = organization.timeZone ?? settings.reportingTimeZone;
  const problems = new Problems();
  const words = problems.in(() => searchWords(search), []);
  const [from, to] = chosenDays(request, { today: localDay(now, timeZone), problems });
  problems.refuse();

  const page = clampPage({ page: request.page, size: request.size, defaultSize: 50 });
  const {
    meetings: found,
    total,
    canceled,
  } = await meetings.list({
    selection: {
      organizationId,
      withServiceMeetings: organization.eap,
      eapOnly: false,
      state: state ?? 'any',
      starts: {
        from: from && startOfDay(from, timeZone),
        before: to && startOfDay(to.add({ days: 1 }), timeZone),
      },
      updatedSince: null,
      now,
    },
    words,
    order,
    page: { offset: pageOffset(page), limit: page.size },
  });
  const items = found.map((meeting) => ({ ...meeting, state: meetingState(meeting, now) }));
  const days = { from: from?.toString() ?? null, to: to?.toString() ?? null };
  return { ...pageOf(page, { items, total }), canceled, days, timeZone, asOf: now };
}

type ChosenDays = readonly [first: Temporal.PlainDate | null, last: Temporal.PlainDate | null];

function chosenDays(
  { dates, from, to }: Pick<ListMeetings, 'dates' | 'from' | 'to'>,
  { today, problems }: { readonly today: Temporal.PlainDate; readonly problems: Problems },
): ChosenDays {
  if (dates !== undefined) {
    checkOneOf('dates', Object.keys(calendarDays), dates);
    return calendarDays[dates](today);
  }
  const read = (field: 'startTime' | 'endTime', text: string | undefined) =>
    text ? problems.in(() => parseDay(field, text), null) : null;
  const [first, last] = [read('startTime', from), read('endTime', to)];
  if (first !== null && last !== null && Temporal.PlainDate.compare(first, last) > 0)
    problems.add({ field: 'endTime', code: 'not-allowed', message: 'must not be before the start' });
  return [first, last];
}

function parseDay(field: 'startTime' | 'endTime', text: string): Temporal.PlainDate {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Temporal.PlainDate.from(text);
  } catch {
    // A day such as February 30.
  }
  const message = 'must be an existing day, such as 2026-11-20';
  throw new Refusal('invalid-request', [{ field, code: 'malformed', message }]);
}
