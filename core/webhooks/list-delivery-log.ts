import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { type CursorKey, decodeCursor } from '../values/cursor.js';
import { checkId, isId, mayBeUuid } from '../values/ids.js';
import { type ListPart, type ListRequest, listLimit, listPart } from '../values/list.js';
import { checkOneOf } from '../values/one-of.js';
import { clampTimestamp } from '../values/timestamp.js';
import type { ListDeliveries } from './list-deliveries.js';
import { deliveryStates, storablePeriod } from './matching-deliveries.js';
import type { Delivery, DeliveryState } from './ports/deliveries.js';

/** The request of `listDeliveryLog`. */
export interface ListDeliveryLog
  extends OfOrganization,
    ListRequest,
    Pick<ListDeliveries, 'since' | 'until' | 'eventId'> {
  /** In one of these states, each given once; left out: in any. */
  readonly states?: readonly DeliveryState[] | undefined;
}

/** The name of the list in its cursors. */
const list = 'deliveries';

/**
 * Lists deliveries for programs, newest first, with all their attempts. Unlike `listDeliveries`, it refuses a cursor
 * that it did not make.
 *
 * @throws `Refusal`: `invalid-request` for an unknown `after`. `TypeError` if `organization.id` is not an id, or a state
 * is unknown.
 */
export async function listDeliveryLog(
  { deliveries }: Uses<'deliveries.list'>,
  { organization, states, eventId, limit: size, after, ...period }: ListDeliveryLog,
): Promise<ListPart<Delivery>> {
  const organizationId = checkId('organization.id', organization.id);
  for (const state of states ?? []) checkOneOf('states', deliveryStates, state);
  const limit = listLimit(size);
  const olderThan = decodeCursor(list, after, positionIn);
  if (eventId !== undefined && !mayBeUuid('eventId', eventId)) return { items: [], next: null };
  // One query for each state, because each state has an index of its own.
  const found = await Promise.all(
    (states ?? [undefined]).map((state) =>
      deliveries.list({
        organizationId,
        state,
        ...storablePeriod(period),
        eventId: eventId?.toLowerCase(),
        olderThan,
        limit: limit + 1,
      }),
    ),
  );
  return listPart(found.flat().sort(newestFirst), { list, limit, keyOf });
}

type Position = Pick<Delivery, 'id' | 'createdAt'>;

function newestFirst(one: Position, other: Position): number {
  return other.createdAt.getTime() - one.createdAt.getTime() || other.id - one.id;
}

function keyOf({ id, createdAt }: Position): CursorKey {
  return [createdAt.getTime(), id];
}

function positionIn([milliseconds, id, ...rest]: readonly unknown[]): Position | null {
  if (!isId(id) || rest.length > 0) return null;
  const createdAt = new Date(milliseconds as number);
  return clampTimestamp(createdAt).getTime() === milliseconds ? { id, createdAt } : null;
}
