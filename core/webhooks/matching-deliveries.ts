import type { Organization } from '../access/ports/organizations.js';
import { checkId } from '../values/ids.js';
import { checkOneOf } from '../values/one-of.js';
import { clampTimestamp } from '../values/timestamp.js';
import type { AttemptPhase, DeliverySelection, DeliveryState, RestingState } from './ports/deliveries.js';

/** Selects deliveries that meet every given condition. Tests never match. */
export interface MatchingDeliveries extends Omit<DeliverySelection, 'organizationId'> {
  /** Null: deliveries of every organization; for the operator only. */
  readonly organization: Pick<Organization, 'id'> | null;
}

const restingStates: readonly RestingState[] = ['delivered', 'failed', 'skipped', 'held'];
const phases: readonly AttemptPhase[] = ['address', 'lookup', 'connect', 'tls', 'request', 'answer'];

/**
 * The id of one organization, or null for every organization. Only null means every organization: `undefined` and an
 * organization without an id are mistakes in the program and throw a `TypeError`.
 */
export function oneOrEvery(organization: Pick<Organization, 'id'> | null): number | null {
  return organization === null ? null : checkId('organization.id', organization?.id);
}

export function selectionOf({ organization, since, until, ...rest }: MatchingDeliveries): DeliverySelection {
  for (const state of rest.states) checkOneOf('states', restingStates, state);
  if (rest.phase !== undefined) checkOneOf('phase', phases, rest.phase);
  return { ...rest, ...storablePeriod({ since, until }), organizationId: oneOrEvery(organization) };
}

type Period = Pick<DeliverySelection, 'since' | 'until'>;

/** The period with the nearest times that every database can store. */
export function storablePeriod({ since, until }: Period): Period {
  return { since: since && clampTimestamp(since), until: until && clampTimestamp(until) };
}

/** The maximum size of a page. */
export const maxListedDeliveries = 1000;

export const deliveryStates: readonly DeliveryState[] = [
  'pending',
  'sending',
  'delivered',
  'failed',
  'skipped',
  'held',
];
