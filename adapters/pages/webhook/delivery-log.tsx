import type { Delivery, ListedDeliveries } from '@rollcall/core';
import { Field } from '../design/form.js';
import { Badge, type Column, DataTable, Empty, Filters } from '../design/parts.js';
import { Moment, ZoneNote } from '../design/times.js';
import type { Visit } from '../visit.js';
import {
  type DeliveryQuery,
  deliveriesPath,
  deliveryFilters,
  isSearch,
  queryFields,
  type ReadQuery,
} from './delivery-query.js';
import { resultOf, stateWords, subjectOf } from './delivery-words.js';
import { deliveryPath, webhookPath } from './webhook-paths.js';

/** A page of the log, as it was asked for. */
export interface DeliveryLogView extends ListedDeliveries {
  readonly query: DeliveryQuery;
  readonly problems: ReadQuery['problems'];
}

interface DeliveryLogProps {
  readonly visit: Visit;
  readonly log: DeliveryLogView;
  readonly hasWebhook: boolean;
}

export function DeliveryLog({ visit, log, hasWebhook }: DeliveryLogProps) {
  const { query, deliveries } = log;
  const path = webhookPath(visit.organization.id);
  const choices = deliveryFilters.map((filter) => ({
    ...filter,
    href: deliveriesPath(path, { ...query, filter, older: null }),
  }));
  return (
    <section id="log" aria-labelledby="log-title">
      <h2 class="list-title" id="log-title">
        Recent deliveries
      </h2>
      <Filters label="Deliveries to show" choices={choices} chosen={query.filter.name} />
      {hasWebhook && <Search path={path} log={log} />}
      {deliveries.length === 0 ? (
        <Empty>
          <p>{emptyWords({ query, hasWebhook })}</p>
        </Empty>
      ) : (
        <>
          <ZoneNote zone={visit.zone} />
          <DataTable
            caption={`Deliveries: ${query.filter.title}`}
            columns={columnsFor(visit)}
            rows={deliveries}
            keyOf={({ id }) => id}
          />
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

/** By time and event; its answer is an address that can be kept. */
function Search({
  path,
  log: { query, problems },
}: {
  readonly path: string;
  readonly log: DeliveryLogView;
}) {
  const { since, until, event, older, ...view } = query;
  const kept = queryFields({ ...view, since: '', until: '', event: '', older: null });
  return (
    <details class="search" open={isSearch(query)}>
      <summary>Search by time or event</summary>
      <form method="get" action={`${path}#log`} noValidate>
        {Object.entries(kept).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div class="columns">
          <Field isRequired={false} {...timestampField('since', 'Since', since)} problem={problems.since} />
          <Field isRequired={false} {...timestampField('until', 'Until', until)} problem={problems.until} />
        </div>
        <Field
          isRequired={false}
          name="event"
          label="Event id"
          autocomplete="off"
          value={event}
          help="As your receiver got it, with the event or in its header."
        />
        <div class="actions">
          <button class="secondary small" type="submit">
            Search
          </button>
          <a href={deliveriesPath(path, { ...query, since: '', until: '', event: '', older: null })}>
            Show all
          </a>
        </div>
      </form>
    </details>
  );
}

function timestampField(name: string, label: string, value: string) {
  return { name, label, type: 'datetime-local', autocomplete: 'off', value } as const;
}

function emptyWords({
  query,
  hasWebhook,
}: Pick<DeliveryLogView, 'query'> & Pick<DeliveryLogProps, 'hasWebhook'>) {
  if (!hasWebhook) return 'Nothing was sent yet. Save a URL above, and then send a test.';
  if (query.older !== null) return 'There is nothing older.';
  if (query.filter.name !== 'all' || isSearch(query)) return 'There are no such deliveries.';
  return 'Nothing was sent yet. Send a test to see whether your receiver is ready.';
}

function Paging({ log: { query, older }, path }: { readonly log: DeliveryLogView; readonly path: string }) {
  if (older === null && query.older === null) return null;
  return (
    <nav class="pagination" aria-label="Pages of deliveries">
      {query.older === null ? <span /> : <a href={deliveriesPath(path, { ...query, older: null })}>Newest</a>}
      <span />
      {older === null ? (
        <span />
      ) : (
        <a href={deliveriesPath(path, { ...query, older })} rel="next">
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
      cell: (delivery) => (
        <span>
          {delivery.eventName} {delivery.isTest && <Badge tone="over">Test</Badge>}
          {subjectOf(delivery).map((text) => (
            <bdi key={text} class="subject">
              {text}
            </bdi>
          ))}
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
