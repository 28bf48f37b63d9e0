import type { Delivery, ListDeliveries, ListedDeliveries } from '@rollcall/core';
import { resultOf, stateWords } from '../delivery-words.js';
import { Badge, type Column, DataTable, Empty, Filters } from '../parts.js';
import { Moment, ZoneNote } from '../times.js';
import type { Visit } from '../visit.js';
import { deliveryPath, webhookPath } from './webhook-paths.js';

interface DeliveryFilter {
  readonly name: string;
  readonly title: string;
  readonly query: Pick<ListDeliveries, 'state' | 'isTest'>;
}

const all: DeliveryFilter = { name: 'all', title: 'All', query: {} };

const filters: readonly DeliveryFilter[] = [
  all,
  { name: 'failed', title: 'Failed', query: { state: 'failed' } },
  { name: 'delivered', title: 'Delivered', query: { state: 'delivered' } },
  { name: 'pending', title: 'Pending', query: { state: 'pending' } },
  { name: 'skipped', title: 'Skipped', query: { state: 'skipped' } },
  { name: 'tests', title: 'Tests', query: { isTest: true } },
];

/** The view with this name; all deliveries for any other one. */
export function filterNamed(name: unknown): DeliveryFilter {
  return filters.find((filter) => filter.name === name) ?? all;
}

/** A page of the log, as it was asked for. */
export interface ShownLog extends ListedDeliveries {
  readonly filter: DeliveryFilter;
  /** Whether it begins with the newest. */
  readonly isNewest: boolean;
}

interface DeliveryLogProps {
  readonly visit: Visit;
  readonly log: ShownLog;
  readonly hasWebhook: boolean;
}

export function DeliveryLog({ visit, log, hasWebhook }: DeliveryLogProps) {
  const { filter, deliveries, isNewest } = log;
  const path = webhookPath(visit.organization.id);
  const addressOf = ({ name }: DeliveryFilter) => (name === all.name ? path : `${path}?show=${name}`);
  const choices = filters.map((choice) => ({ ...choice, href: `${addressOf(choice)}#log` }));
  return (
    <section id="log" aria-labelledby="log-title">
      <h2 id="log-title">Recent deliveries</h2>
      <Filters label="Which deliveries" choices={choices} chosen={filter.name} />
      {deliveries.length === 0 ? (
        <Empty>
          <p>{emptyWords({ filter, isNewest, hasWebhook })}</p>
        </Empty>
      ) : (
        <>
          <DataTable
            caption={`Deliveries: ${filter.title}`}
            columns={columnsFor(visit)}
            rows={deliveries}
            keyOf={({ id }) => id}
          />
          <ZoneNote zone={visit.zone} />
        </>
      )}
      <Paging log={log} path={path} />
      {hasWebhook && (
        <p>
          <a href={`${path}/redeliver`}>Send again what failed since a time</a>
        </p>
      )}
    </section>
  );
}

function emptyWords({
  filter,
  isNewest,
  hasWebhook,
}: Pick<ShownLog, 'filter' | 'isNewest'> & Pick<DeliveryLogProps, 'hasWebhook'>): string {
  if (!hasWebhook) return 'Nothing was sent yet. Save a URL above, and then send a test.';
  if (!isNewest) return 'There is nothing older.';
  if (filter.name === all.name)
    return 'Nothing was sent yet. Send a test to see whether your receiver is ready.';
  return 'There are no such deliveries.';
}

function Paging({ log, path }: { readonly log: ShownLog; readonly path: string }) {
  const show = log.filter.name === all.name ? '' : `show=${log.filter.name}`;
  if (log.older === null && log.isNewest) return null;
  return (
    <nav class="pagination" aria-label="Pages of deliveries">
      {log.isNewest ? <span /> : <a href={`${path}${show && `?${show}`}#log`}>Newest</a>}
      <span />
      {log.older === null ? (
        <span />
      ) : (
        <a href={`${path}?${show && `${show}&`}older=${log.older}#log`} rel="next">
          Older
        </a>
      )}
    </nav>
  );
}

function columnsFor({ organization, zone }: Visit): readonly Column<Delivery>[] {
  return [
    {
      title: 'Time',
      cell: ({ id, createdAt }) => (
        <a href={deliveryPath(organization.id, id)}>
          <Moment moment={createdAt} zone={zone} />
        </a>
      ),
    },
    {
      title: 'Event',
      cell: ({ eventName, isTest }) => (
        <span>
          {eventName} {isTest && <Badge tone="over">Test</Badge>}
        </span>
      ),
    },
    { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    { title: 'Result', cell: (delivery) => <span class="result">{resultOf(delivery)}</span> },
    { title: 'Attempts', cell: ({ attempts }) => attempts.length, isNumber: true },
  ];
}

export function StateBadge({ state }: Pick<Delivery, 'state'>) {
  const { words, tone } = stateWords[state];
  return (
    <span>
      <Badge tone={tone}>{words}</Badge>
    </span>
  );
}
