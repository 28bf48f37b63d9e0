import type { Uses } from '../deps.js';
import { searchWords } from '../users/search-words.js';
import { isId, mayBeUuid } from '../values/ids.js';
import { checkOneOf } from '../values/one-of.js';
import { clampNumber } from '../values/page.js';
import { clampTimestamp } from '../values/timestamp.js';
import {
  deliveryStates,
  type MatchingDeliveries,
  maxListedDeliveries,
  oneOrEvery,
  storablePeriod,
} from './matching-deliveries.js';
import type { Delivery, DeliveryState } from './ports/deliveries.js';

/** The request of `listDeliveries`. */
export interface ListDeliveries extends Pick<MatchingDeliveries, 'organization'> {
  /** Left out: in any state. */
  readonly state?: DeliveryState | undefined;
  /** The event happened at this time or later. */
  readonly since?: Date | undefined;
  /** The event happened before this time. */
  readonly until?: Date | undefined;
  /** The event id that the receiver got. A malformed id matches nothing. */
  readonly eventId?: string | undefined;
  /** The event tells of a member whose name, address or `idpId` has each of these words. Empty or left out: of anyone. */
  readonly person?: string | undefined;
  /** True: only tests. False: no tests. Left out: both. */
  readonly isTest?: boolean | undefined;
  /** The `older` of an earlier result. Any other value means the first page. */
  readonly olderThan?: string | null | undefined;
  /** From 1 to `maxListedDeliveries`; 50 by default. */
  readonly limit?: unknown;
}

/** One page of the log. */
export interface ListedDeliveries {
  /** Newest first, each with all its attempts. */
  readonly deliveries: readonly Delivery[];
  /** The start of the next page; null: this is the last page. New deliveries do not move it. */
  readonly older: string | null;
}

/**
 * Lists deliveries, newest first, one page at a time.
 *
 * @throws `TypeError` if `organization` is neither null nor has an id, or `state` is unknown. `Refusal`: `invalid-request`
 * if `person` is too long or has too many words.
 */
export async function listDeliveries(
  { deliveries }: Uses<'deliveries.list'>,
  { organization, limit, ...query }: ListDeliveries,
): Promise<ListedDeliveries> {
  const organizationId = oneOrEvery(organization);
  if (query.state !== undefined) checkOneOf('state', deliveryStates, query.state);
  if (query.eventId !== undefined && !mayBeUuid('eventId', query.eventId))
    return { deliveries: [], older: null };
  const size = clampNumber(limit, { from: 1, to: maxListedDeliveries, otherwise: 50 });
  const found = await deliveries.list({
    organizationId,
    state: query.state,
    ...storablePeriod(query),
    eventId: query.eventId?.toLowerCase(),
    isTest: query.isTest,
    personWords: searchWords(query.person ?? ''),
    olderThan: readPosition(String(query.olderThan)),
    limit: size + 1,
  });
  const shown = found.slice(0, size);
  const last = found.length > size ? shown.at(-1) : undefined;
  return { deliveries: shown, older: last === undefined ? null : positionOf(last) };
}

type Position = Pick<Delivery, 'id' | 'createdAt'>;

function positionOf({ id, createdAt }: Position): string {
  return `${createdAt.getTime()}-${id}`;
}

function readPosition(text: string): Position | undefined {
  const [, milliseconds, id] = /^(\d{1,15})-(\d{1,16})$/.exec(text) ?? [];
  if (!isId(Number(id))) return undefined;
  return { id: Number(id), createdAt: clampTimestamp(new Date(Number(milliseconds))) };
}
