import { type Acting, auditEntries } from '../access/actor.js';
import type { Organization } from '../access/ports.js';
import type { Deps } from '../deps.js';
import { clampTimestamp } from '../values/timestamp.js';
import type { DeliverySelection } from './ports.js';

export interface MatchingDeliveries extends Omit<DeliverySelection, 'organizationId'> {
  /** Null: of every organization, which is for the operator alone. */
  readonly organization: Pick<Organization, 'id'> | null;
}

export interface RedeliverMatching extends MatchingDeliveries, Acting {}

/** Sends every event that matches once more, as `redeliver` does, tests excepted; says how many. */
export async function redeliverMatching(
  { deliveries, dispatcher, clock }: Pick<Deps, 'deliveries' | 'dispatcher' | 'clock'>,
  { by, ...matching }: RedeliverMatching,
): Promise<number> {
  const at = clock.now();
  const count = await deliveries.redeliverMatching(selectionOf(matching), ({ organizationId, count: own }) =>
    auditEntries({ by, at }, { organizationId, action: 'deliveries-redelivered', subject: String(own) }),
  );
  if (count > 0) dispatcher.wake();
  return count;
}

/** How many events `redeliverMatching` would send. */
export async function countDeliveries(
  { deliveries }: Pick<Deps, 'deliveries'>,
  matching: MatchingDeliveries,
): Promise<number> {
  return deliveries.count(selectionOf(matching));
}

export interface DropHeld extends Acting, Pick<MatchingDeliveries, 'organization' | 'since' | 'until'> {}

/** Ends events that are held as skipped, so that they are not sent and stay in the log; says how many. */
export async function dropHeld(
  { deliveries, clock }: Pick<Deps, 'deliveries' | 'clock'>,
  { by, organization, since, until }: DropHeld,
): Promise<number> {
  const at = clock.now();
  const { states, ...held } = selectionOf({ organization, states: ['held'], since, until });
  return deliveries.dropHeld({ ...held, at }, ({ organizationId, count }) =>
    auditEntries({ by, at }, { organizationId, action: 'deliveries-dropped', subject: String(count) }),
  );
}

function selectionOf({ organization, since, until, ...rest }: MatchingDeliveries): DeliverySelection {
  return {
    ...rest,
    organizationId: organization?.id ?? null,
    since: since && clampTimestamp(since),
    until: until && clampTimestamp(until),
  };
}
