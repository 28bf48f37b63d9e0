import { parseClockTime } from '@rollcall/core/rules';
import type { Request } from 'express';
import type { TimeZone } from '../design/times.js';
import { RESENT, withQuery } from '../paths.js';

const all = { name: 'all', title: 'All', query: {} } as const;

export const deliveryFilters = [
  all,
  { name: 'failed', title: 'Failed', query: { state: 'failed' } },
  { name: 'delivered', title: 'Delivered', query: { state: 'delivered' } },
  { name: 'pending', title: 'Pending', query: { state: 'pending' } },
  { name: 'skipped', title: 'Skipped', query: { state: 'skipped' } },
  { name: 'held', title: 'Held', query: { state: 'held' } },
  { name: 'tests', title: 'Tests', query: { isTest: true } },
] as const;

/** The deliveries that a page shows. */
export type DeliveryQuery = ReturnType<typeof deliveryQueryIn>;

/** From its address or from a form on it. An unknown filter means all, just as an invalid page number means the first page. */
export function deliveryQueryIn(fields: Request['query']) {
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name].trim() : '');
  return {
    filter: deliveryFilters.find(({ name }) => name === fields.state) ?? all,
    /** The texts as typed, valid or not. Empty if nothing was typed. */
    since: text('since'),
    until: text('until'),
    person: text('person'),
    event: text('event'),
    /** Where this page begins. Null for the newest deliveries. */
    older: text('older') || null,
  };
}

/** A query without what was searched for. */
export const notSearched = { since: '', until: '', person: '', event: '', older: null } as const;

export function isSearch({ since, until, person, event }: DeliveryQuery): boolean {
  return [since, until, person, event].some((text) => text !== '');
}

/** Turns the query into the core's request. Its times are read in the zone; of two instants, `until` is the later. */
export function readQuery({ filter, person, event, older, ...typed }: DeliveryQuery, zone: TimeZone) {
  const [since, until] = [parseClockTime(typed.since, zone), parseClockTime(typed.until, zone)];
  return {
    criteria: {
      ...filter.query,
      ...(since !== null && { since: since.first }),
      ...(until !== null && { until: until.last }),
      ...(event !== '' && { eventId: event }),
      ...(person !== '' && { person }),
      olderThan: older,
    },
    // By field of the search. Invalid fields are not part of `criteria`.
    problems: {
      ...(typed.since !== '' && since === null && { since: `Since ${NOT_A_TIMESTAMP}` }),
      ...(typed.until !== '' && until === null && { until: `Until ${NOT_A_TIMESTAMP}` }),
    },
  };
}

export const NOT_A_TIMESTAMP = 'must be a date and time, such as 2026-11-20T18:00';

/** The query as fields of an address. */
export function queryFields({ filter, older, ...typed }: DeliveryQuery): Record<string, string> {
  const fields = {
    state: filter.name === all.name ? '' : filter.name,
    ...typed,
    older: older ?? '',
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

/** The address of these deliveries on the webhooks page. */
export function deliveriesPath(webhookPath: string, query: DeliveryQuery): string {
  return `${withQuery(webhookPath, queryFields(query))}#log`;
}

/** The same after something was resent, a delivery with this number or `all`, so that the page says how that ended. */
export function resentPath(webhookPath: string, resent: string, query: DeliveryQuery | null = null): string {
  return withQuery(webhookPath, { ...(query !== null && queryFields(query)), [RESENT]: resent });
}
