import { Temporal } from 'temporal-polyfill';
import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import { localDay, mondayOf, startOfDay } from '../values/day.js';
import { checkId } from '../values/ids.js';
import { clampNumber } from '../values/page.js';
import type { MeetingSummary } from './ports/meetings.js';

/** The maximum number of weeks before the current one, and after it. */
const MAX_WEEKS = 52;

/** The request of `summarizeMeetings`. */
export interface SummarizeMeetings {
  /** The organization that `authorize` or `authorizeMember` returned, with its `eap` and `timeZone`. */
  readonly organization: Organization;
  /** The number of weeks before the current one, from 0 to 52; 8 by default. */
  readonly weeksBefore?: unknown;
  /** The number of weeks after the current one, from 0 to 52; 8 by default. */
  readonly weeksAfter?: unknown;
}

/** The meetings of one week. */
export interface WeekSummary extends MeetingSummary {
  /** ISO 8601, such as `2026-W47`. */
  readonly week: string;
  /** The Monday of the week, such as `2026-11-16`. */
  readonly monday: string;
  /** When the week begins in the zone. */
  readonly from: Date;
  /** When the next week begins. */
  readonly before: Date;
  /** Whether the week contains the present day in the zone. */
  readonly isCurrent: boolean;
}

/** Meetings and seats by week. */
export interface SummarizedMeetings {
  /** The zone in which the weeks begin. */
  readonly timeZone: string;
  /** Without gaps, earliest first. */
  readonly weeks: readonly WeekSummary[];
}

/**
 * Counts the meetings and seats of each week, without canceled meetings. Counts the same meetings as a report of
 * `all_meetings`.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function summarizeMeetings(
  { meetings, clock, settings }: Uses<'clock.now' | 'meetings.summarize' | 'settings.reportingTimeZone'>,
  { organization, weeksBefore, weeksAfter }: SummarizeMeetings,
): Promise<SummarizedMeetings> {
  const organizationId = checkId('organization.id', organization.id);
  const timeZone = organization.timeZone ?? settings.reportingTimeZone;
  const weeks = weeksAround(mondayOf(localDay(clock.now(), timeZone)), {
    before: clampNumber(weeksBefore, { from: 0, to: MAX_WEEKS, otherwise: 8 }),
    after: clampNumber(weeksAfter, { from: 0, to: MAX_WEEKS, otherwise: 8 }),
    timeZone,
  });
  const summaries = await meetings.summarize({
    organizationId,
    withServiceMeetings: organization.eap,
    ranges: weeks.map(({ from, before }) => ({ from, before })),
  });
  return {
    timeZone,
    weeks: weeks.map((week, index) => ({ ...week, ...(summaries[index] as MeetingSummary) })),
  };
}

function weeksAround(
  current: Temporal.PlainDate,
  { before, after, timeZone }: { readonly before: number; readonly after: number; readonly timeZone: string },
): readonly Omit<WeekSummary, keyof MeetingSummary>[] {
  return Array.from({ length: before + 1 + after }, (_, index) => {
    const monday = current.add({ weeks: index - before });
    return {
      week: `${monday.yearOfWeek}-W${String(monday.weekOfYear).padStart(2, '0')}`,
      monday: monday.toString(),
      from: startOfDay(monday, timeZone),
      before: startOfDay(monday.add({ weeks: 1 }), timeZone),
      isCurrent: Temporal.PlainDate.compare(monday, current) === 0,
    };
  });
}
