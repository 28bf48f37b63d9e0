import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { CursorExpired } from '../errors.js';
import { decodeCursor, encodeCursor } from '../values/cursor.js';
import { checkId, isUuid } from '../values/ids.js';
import { checkOneOf } from '../values/one-of.js';
import { clampNumber } from '../values/page.js';
import { availableEvents, type EventName } from './events.js';
import type { FeedCursor, RecordedEvent } from './ports/event-feed.js';
import { maxReadEvents } from './webhook.js';

/** The request of `readEvents`. */
export interface ReadEvents extends OfOrganization {
  /** The `next` of an earlier result. Left out: from the oldest event that is kept, or from the newest with `desc`. */
  readonly after?: string | undefined;
  /** The number of events, from 1 to `maxReadEvents`; 50 by default. Limited to this range and never refused. */
  readonly limit?: unknown;
  /** `asc`, the default: in the order of the feed. `desc`: newest first. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Only events with this name. */
  readonly event?: EventName | undefined;
}

/** A page of the feed. */
export interface ReadEventsResult {
  /** Each `body` is the text that a webhook gets, byte for byte. */
  readonly events: readonly RecordedEvent[];
  /** The `after` of the next call, also when there are no further events yet. Works in both orders. */
  readonly next: string;
  /** Whether there are further events already. */
  readonly hasMore: boolean;
}

const FEED = 'events';

/**
 * Reads the organization's events in the order in which they were committed, one page at a time. A reader who always
 * continues at `next` gets each event exactly once.
 *
 * @throws `Refusal`: `invalid-request` if `after` is not a cursor of this feed, `cursor-expired` (`CursorExpired`) if
 * events after it are no longer kept. `TypeError` if `organization.id` is not an id, or `order` or `event` is unknown.
 */
export async function readEvents(
  { eventFeed }: Uses<'eventFeed.read'>,
  { organization, after, limit, order = 'asc', event }: ReadEvents,
): Promise<ReadEventsResult> {
  const organizationId = checkId('organization.id', organization.id);
  checkOneOf('order', ['asc', 'desc'], order);
  if (event !== undefined) checkOneOf('event', availableEvents, event);
  const place = decodeCursor(FEED, after, (values) => placeIn(organizationId, values));
  const page = await eventFeed.read({
    organizationId,
    after: place ?? null,
    order,
    name: event,
    limit: clampNumber(limit, { from: 1, to: maxReadEvents, otherwise: 50 }),
  });
  if ('oldest' in page) throw new CursorExpired(cursorTo(organizationId, page.oldest));
  const { events, hasMore, next } = page;
  return { events, hasMore, next: cursorTo(organizationId, next) };
}

function cursorTo(organizationId: number, { position, eventId }: FeedCursor): string {
  return encodeCursor(
    FEED,
    eventId === null ? [organizationId, position] : [organizationId, position, eventId],
  );
}

function placeIn(organizationId: number, values: readonly unknown[]): FeedCursor | null {
  const [organization, position, eventId = null] = values;
  if (organization !== organizationId || values.length > 3) return null;
  if (!Number.isSafeInteger(position) || (position as number) < 0) return null;
  if (eventId !== null && (!isUuid(eventId) || eventId !== eventId.toLowerCase())) return null;
  return { position: position as number, eventId };
}
