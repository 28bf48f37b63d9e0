import type { Organization } from '../access/ports.js';
import type { Uses } from '../deps.js';
import { isId, isUuid } from '../values/ids.js';
import { clampNumber } from '../values/page.js';
import { clampTimestamp } from '../values/timestamp.js';
import type { Delivery, DeliveryState } from './ports.js';

/** The most that is listed at once. */
export const maxListedDeliveries = 1000;

export interface ListDeliveries {
  /** Null: of every organization; only the operator may ask for that. */
  readonly organization: Pick<Organization, 'id'> | null;
  readonly state?: DeliveryState | undefined;
  /** The event happened at this time or later. */
  readonly since?: Date | undefined;
  /** The event happened before this time. */
  readonly until?: Date | undefined;
  /** As the receiver got it; nothing has a malformed one. */
  readonly eventId?: string | undefined;
  /** Only tests, or none of them; both where left out. */
  readonly isTest?: boolean | undefined;
  /** What an earlier answer gave as `older`; anything else is the first page. */
  readonly olderThan?: string | null | undefined;
  /** From 1 to `maxListedDeliveries`; 50 where left out. */
  readonly limit?: unknown;
}

export interface ListedDeliveries {
  readonly deliveries: readonly Delivery[];
  /** Where the next page begins; null: this is the last. What is made meanwhile moves nothing. */
  readonly older: string | null;
}

/** Lists deliveries, newest first, one page at a time. */
export async function listDeliveries(
  { deliveries }: Uses<'deliveries.list'>,
  { organization, limit, ...asked }: ListDeliveries,
): Promise<ListedDeliveries> {
  if (asked.eventId !== undefined && !isUuid(asked.eventId)) return { deliveries: [], older: null };
  const size = clampNumber(limit, { from: 1, to: maxListedDeliveries, otherwise: 50 });
  const found = await deliveries.list({
    organizationId: organization?.id ?? null,
    state: asked.state,
    since: asked.since && clampTimestamp(asked.since),
    until: asked.until && clampTimestamp(asked.until),
    eventId: asked.eventId?.toLowerCase(),
    isTest: asked.isTest,
    olderThan: readPosition(asked.olderThan ?? ''),
    limit: size + 1,
  });
  const shown = found.slice(0, size);
  const last = shown.at(-1);
  return {
    deliveries: shown,
    older: found.length > size && last !== undefined ? positionOf(last) : null,
  };
}

type Position = Pick<Delivery, 'id' | 'createdAt'>;

function positionOf({ id, createdAt }: Position): string {
  return `${createdAt.getTime()}-${id}`;
}

function readPosition(text: string): Position | undefined {
  const [, milliseconds, id] = /^(\d{1,15})-(\d{1,16})$/.exec(text) ?? [];
  if (milliseconds === undefined || !isId(Number(id))) return undefined;
  return { id: Number(id), createdAt: clampTimestamp(new Date(Number(milliseconds))) };
}
