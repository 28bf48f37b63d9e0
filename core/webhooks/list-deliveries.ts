import type { Delivery, DeliveryState, Organization } from '../ports.js';
import { clampNumber } from '../values/page.js';
import type { World } from '../world.js';

/** The most that is listed at once. */
export const longestDeliveryList = 1000;

export interface ListDeliveries {
  /** Null: of every organization, which is for the operator alone. */
  readonly organization: Pick<Organization, 'id'> | null;
  readonly state?: DeliveryState | undefined;
  /** The moment of the event, or later. */
  readonly since?: Date | undefined;
  /** From 1 to `longestDeliveryList`; 50 where left out. */
  readonly limit?: number | undefined;
}

/** What became of the events, the newest first. */
export async function listDeliveries(
  { deliveries }: Pick<World, 'deliveries'>,
  { organization, state, since, limit }: ListDeliveries,
): Promise<readonly Delivery[]> {
  return deliveries.list({
    organizationId: organization?.id ?? null,
    state,
    since,
    limit: clampNumber(limit, { from: 1, to: longestDeliveryList, otherwise: 50 }),
  });
}
