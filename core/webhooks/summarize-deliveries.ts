import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import type { DeliverySummary } from './ports/deliveries.js';

/** The request of `summarizeDeliveries`. */
export interface SummarizeDeliveries extends OfOrganization {
  /** How many hours `hours` covers, up to now. From 1 to 168; 48 by default. */
  readonly hours?: number | undefined;
}

/** Older deliveries are not read, apart from those in rare states: there can be millions. */
const NEWEST = 5000;
const HOUR_MS = 3_600_000;

/**
 * Counts the deliveries of an organization by state, and by the hour: each of the latest hours of the clock in UTC, the
 * current one last. Those that were delivered or skipped, and the hours, are counted among the newest 5000.
 *
 * @throws `TypeError` if `organization.id` is not an id. `RangeError` if `hours` is not a whole number from 1 to 168.
 */
export async function summarizeDeliveries(
  { deliveries, clock }: Uses<'clock.now' | 'deliveries.summarize'>,
  { organization, hours = 48 }: SummarizeDeliveries,
): Promise<DeliverySummary> {
  const organizationId = checkId('organization.id', organization.id);
  if (!Number.isInteger(hours) || hours < 1 || hours > 168)
    throw new RangeError('hours must be a whole number from 1 to 168');
  const thisHour = Math.floor(clock.now().getTime() / HOUR_MS);
  const starts = Array.from({ length: hours }, (_, index) => (thisHour - hours + 1 + index) * HOUR_MS);
  const since = new Date(starts[0] ?? 0);
  const found = await deliveries.summarize({ organizationId, newest: NEWEST, since });
  const ended = new Map(found.hours.map((hour) => [hour.from.getTime(), hour]));
  const none = { delivered: 0, failed: 0 };
  return { ...found, hours: starts.map((start) => ended.get(start) ?? { from: new Date(start), ...none }) };
}
