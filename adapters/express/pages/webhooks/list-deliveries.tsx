import type { Delivery, ListedDeliveries } from '@rollcall/core';
import { Fragment } from 'preact';
import {
  Badge,
  ButtonLink,
  type Column,
  DataTable,
  Empty,
  Filters,
  SearchButton,
  Stack,
} from '../design/components.js';
import { Field, HiddenFields } from '../design/form.js';
import { Notice } from '../design/layout.js';
import { type CountedWords, counted, ListCount } from '../design/list.js';
import { type NoticeName, noticeOf } from '../design/notice.js';
import { Timestamp, ZoneNote } from '../design/times.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import {
  type DeliveryQuery,
  deliveriesPath,
  deliveryFilters,
  deliveryQueryIn,
  isSearch,
  queryFields,
  type ReadQuery,
  readQuery,
} from './delivery-query.js';
import { resultOf, stateLabels, subjectOf } from './delivery-texts.js';
import { RedeliverRow } from './redeliver.js';

/** When a page that says that something is being resent is loaded again, once. */
export const RELOAD_AFTER_MS = 2000;

/** The number of deliveries on one page. */
const PAGE_SIZE = 20;

/** One page of the deliveries that match the query. */
export interface DeliveryListView extends ListedDeliveries {
  readonly query: DeliveryQuery;
  readonly problems: ReadQuery['problems'];
}

export async function listDeliveries(visit: MemberVisit): Promise<DeliveryListView> {
  const { core, organization, request, zone } = visit;
  const query = deliveryQueryIn(request.query);
  const { criteria, problems } = readQuery(query, zone);
  const listed = await core.listDeliveries({ organization, ...criteria, limit: PAGE_SIZE });
  return { ...listed, query, problems };
}

interface DeliveryListProps {
  readonly visit: MemberVisit;
  readonly list: DeliveryListView;
  /** Whether the webhook is on. While it is off, only tests can be resent. */
  readonly isEnabled: boolean;
  /** Whether there is a URL to test. */
  readonly canTest: boolean;
  /** The notice about deliveries that are being resent. */
  readonly notice: NoticeName | null;
}

export function DeliveryList({ visit, list, isEnabled, canTest, notice }: DeliveryListProps) {
  const { query, deliveries } = list;
  const path = paths.webhooks(visit.organization.id);
  const choices = deliveryFilters.map((filter) => ({
    ...filter,
    href: deliveriesPath(path, { ...query, filter, older: null }),
  }));
  const isUnused = deliveries.length === 0 && !isNarrowed(query);
  return (
    <section id="log" aria-labelledby="log-title">
      <div class="list-head">
        <h2 class="list-title" id="log-title">
          Recent deliveries
        </h2>
        {!isUnused && (
          <ButtonLink kind="secondary" isSmall href={paths.redeliverFailed(visit.organization.id)}>
            Resend failed deliveries…
          </ButtonLink>
        )}
      </div>
      {notice !== null && (
        <Notice>
          {noticeOf(notice).text}{' '}
          <a href={deliveriesPath(path, query)} data-reload-after={RELOAD_AFTER_MS}>
            Refresh
          </a>
        </Notice>
      )}
      {!isUnused && (
        <>
          <Filters label="Deliveries to show" choices={choices} chosen={query.filter.name} />
          <Search path={path} list={list} />
          <Count list={list} />
        </>
      )}
      {deliveries.length === 0 ? (
        <EmptyList {...{ query, path, canTest }} />
      ) : (
        <>
          <ZoneNote zone={visit.zone} />
          <DataTable
            caption={`Deliveries: ${query.filter.title}`}
            columns={columnsFor({ visit, query, isEnabled })}
            rows={deliveries}
            keyOf={({ id }) => id}
          />
        </>
      )}
      <OlderAndNewest list={list} path={path} />
    </section>
  );
}

/** Searches by time and event. The result has an address that can be bookmarked. */
function Search({
  path,
  list: { query, problems },
}: {
  readonly path: string;
  readonly list: DeliveryListView;
}) {
  const { since, until, event, older, ...view } = query;
  const kept = queryFields({ ...view, since: '', until: '', event: '', older: null });
  return (
    <details class="search" open={isSearch(query)}>
      <summary>Search by time or event</summary>
      <form method="get" action={`${path}#log`} noValidate>
        <HiddenFields fields={kept} />
        <div class="columns">
          <Field isRequired={false} {...timestampField('since', 'Since', since)} problem={problems.since} />
          <Field isRequired={false} {...timestampField('until', 'Until', until)} problem={problems.until} />
        </div>
        <Field
          isRequired={false}
          name="event"
          label="Event ID"
          autocomplete="off"
          value={event}
          help="From the event_id field or the header of the request that your endpoint received."
        />
        <div class="actions">
          <SearchButton />
          <a href={deliveriesPath(path, { ...query, since: '', until: '', event: '', older: null })}>
            Show all
          </a>
        </div>
      </form>
    </details>
  );
}

function timestampField(name: string, label: string, value: string) {
  return { name, label, type: 'datetime-local', step: 1, autocomplete: 'off', value } as const;
}

/** Whether there may be deliveries that the query leaves out. */
function isNarrowed(query: DeliveryQuery): boolean {
  return query.older !== null || query.filter.name !== 'all' || isSearch(query);
}

/** The log has no total, so a list of several pages says only what this page shows. */
function Count({ list: { query, deliveries, older, problems } }: Pick<DeliveryListProps, 'list'>) {
  const isAsked = query.filter.name !== 'all' || isSearch(query);
  if (!isAsked || Object.keys(problems).length > 0) return null;
  const words = wordsFor(query);
  const isFirstOfSeveral = query.older === null && older !== null;
  return (
    <ListCount isNarrowed>
      {isFirstOfSeveral
        ? `The newest ${counted(deliveries.length, words)}`
        : counted(deliveries.length, words)}
    </ListCount>
  );
}

function wordsFor({ filter: { name, title }, older }: DeliveryQuery): CountedWords {
  const age = older === null ? '' : 'older ';
  if (name === 'tests') return { one: `${age}test`, several: `${age}tests` };
  const adjectives: Readonly<Record<string, string>> = { all: '', delivered: 'successful ' };
  const state = adjectives[name] ?? `${title.toLowerCase()} `;
  return { one: `${age}${state}delivery`, several: `${age}${state}deliveries` };
}

interface EmptyListProps extends Pick<DeliveryListProps, 'canTest'> {
  readonly query: DeliveryQuery;
  readonly path: string;
}

function EmptyList({ query, path, canTest }: EmptyListProps) {
  if (isNarrowed(query))
    return (
      <Empty next={{ href: `${path}#log`, text: 'Show all deliveries' }}>
        {query.older === null ? 'No deliveries match.' : 'There are no older deliveries.'}
      </Empty>
    );
  return canTest ? (
    <Empty next={{ href: '#test', text: 'Go to the test' }}>
      No deliveries yet. Send a test to check that your endpoint works.
    </Empty>
  ) : (
    <Empty next={{ href: '#url', text: 'Enter a URL' }}>No deliveries yet. Save a URL first.</Empty>
  );
}

function OlderAndNewest({
  list: { query, older },
  path,
}: {
  readonly list: DeliveryListView;
  readonly path: string;
}) {
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

interface Rows {
  readonly visit: MemberVisit;
  readonly query: DeliveryQuery;
  readonly isEnabled: boolean;
}

function columnsFor({ visit, query, isEnabled }: Rows): readonly Column<Delivery>[] {
  const { organization, zone } = visit;
  return [
    {
      title: 'Time',
      cell: ({ id, createdAt }) => (
        <a href={paths.delivery(organization.id, id)}>
          <Timestamp at={createdAt} zone={zone} hasSeconds />
        </a>
      ),
    },
    {
      title: 'Event',
      cell: (delivery) => (
        <span>
          {delivery.eventName} {delivery.isTest && <Badge tone="neutral">Test</Badge>}{' '}
          {subjectOf(delivery).map((text) => (
            <Fragment key={text}>
              <bdi class="subject">{text}</bdi>{' '}
            </Fragment>
          ))}
        </span>
      ),
    },
    { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    {
      title: 'Result',
      cell: (delivery) => (
        <Stack>
          <span class="result">{resultOf(delivery)}</span>
          {delivery.attempts.length > 1 && (
            <span class="secondary-text">{`${delivery.attempts.length} attempts`}</span>
          )}
        </Stack>
      ),
    },
    {
      title: 'Actions',
      isAction: true,
      cell: (delivery) => <RedeliverRow {...{ visit, delivery, query, isEnabled }} />,
    },
  ];
}

export function StateBadge({ state }: Pick<Delivery, 'state'>) {
  const { label, tone } = stateLabels[state];
  return (
    <span>
      <Badge tone={tone}>{label}</Badge>
    </span>
  );
}
