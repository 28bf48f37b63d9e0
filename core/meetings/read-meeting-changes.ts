import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { decodeCursor, encodeCursor } from '../values/cursor.js';
import { checkId, isId } from '../values/ids.js';
import type { Unchecked } from '../values/one-of.js';
import { clampNumber } from '../values/page.js';
import { chooseColumns, type ExportColumnKey, exportColumns } from './export-columns.js';
import { maxReadMeetingChanges } from './meeting.js';
import type { ChangeCursor, MeetingChange } from './ports/meetings.js';

/** The request of `readMeetingChanges`. */
export interface ReadMeetingChanges extends OfOrganization {
  /** The `next` of an earlier result. Left out: from the oldest change, which leads to every meeting. */
  readonly after?: string | undefined;
  /** The number of changes, from 1 to `maxReadMeetingChanges`; 50 by default. Limited to this range, never refused. */
  readonly limit?: unknown;
  /** The keys of the columns in the requested order. Duplicates count once. Left out or empty: every column. */
  readonly columns?: readonly Unchecked<ExportColumnKey>[] | undefined;
}

/** A page of changes. */
export interface ReadMeetingChangesResult {
  /** In the order in which they were committed; each meeting at most once, with its latest change. */
  readonly changes: readonly MeetingChange[];
  /** The `after` of the next call, also when there are no further changes yet. */
  readonly next: string;
  /** Whether there are further changes already. */
  readonly hasMore: boolean;
}

const LIST = 'meeting-changes';

/**
 * Reads what changed among the meetings of the organization's exports, one page at a time, with the meetings that it no
 * longer sees. A copy that applies every page and continues at `next` equals an export of everything.
 *
 * @throws `Refusal`: `invalid-request` with every parameter that is wrong; `cursor-expired` if deletions after `after`
 * are no longer kept, or if it is later than every change. `TypeError` if `organization.id` is not an id.
 */
export async function readMeetingChanges(
  { meetings }: Uses<'meetings.changes'>,
  { organization, after, limit, columns = [] }: ReadMeetingChanges,
): Promise<ReadMeetingChangesResult> {
  const organizationId = checkId('organization.id', organization.id);
  const chosen = chooseColumns(columns);
  const place = decodeCursor(LIST, after, (values) => placeIn(organizationId, values));
  const page = await meetings.changes({
    organizationId,
    after: place ?? null,
    limit: clampNumber(limit, { from: 1, to: maxReadMeetingChanges, otherwise: 50 }),
    columns: chosen.length === 0 ? exportColumns : chosen,
  });
  if (page === null) throw cursorExpired();
  const { changes, hasMore, next } = page;
  return { changes, hasMore, next: cursorTo(organizationId, next) };
}

function cursorExpired(): Refusal {
  const remedy = 'start again without it, and remove the meetings that the new read does not return';
  return new Refusal('cursor-expired', `The changes after this cursor are no longer kept: ${remedy}`);
}

function cursorTo(organizationId: number, { changedAt, meetingId, since, cuts }: ChangeCursor): string {
  const times = [organizationId, changedAt.getTime(), meetingId, since.getTime()];
  return encodeCursor(LIST, cuts === 0 ? times : [...times, cuts]);
}

function placeIn(organizationId: number, values: readonly unknown[]): ChangeCursor | null {
  const [organization, changedAt, meetingId, since, cuts = 0] = values;
  if (organization !== organizationId || values.length < 4 || values.length > 5) return null;
  if (!isId(meetingId) || !isTime(changedAt) || !isTime(since) || !isCount(cuts)) return null;
  return { changedAt: new Date(changedAt), meetingId, since: new Date(since), cuts };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The end of the year 9999, in milliseconds. */
const MAX_TIME_MS = 253_402_300_799_999;

/** Whether this is a time that every adapter can store. */
function isTime(value: unknown): value is number {
  return isCount(value) && value <= MAX_TIME_MS;
}
