import type { Delivery, DeliverySummary } from '@rollcall/core';
import type { ComponentProps } from 'preact';
import { Badge, Banner, type Column, DataTable, Empty, Filters, SearchButton } from '../design/components.js';
import { type DayField, Field, HiddenFields, noProblems, otherProblems } from '../design/form.js';
import { type CountedWords, counted, foundBy, inEnglish, ListCount, Sides } from '../design/list.js';
import type { NoticeView } from '../design/notice.js';
import { Timestamp, ZoneNote } from '../design/times.js';
import { unlessRefused } from '../errors/unless-refused.js';
import { memberPage } from '../page.js';
import { paths, RESENT } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { HourChart } from './delivery-hours.js';
import {
  type DeliveryQuery,
  deliveriesPath,
  deliveryFilters,
  deliveryQueryIn,
  isSearch,
  notSearched,
  queryFields,
  readQuery,
  resentPath,
} from './delivery-query.js';
import { resultOf, stateLabels, subjectOf } from './delivery-texts.js';
import { RedeliverRow, type RedeliverRowProps } from './redeliver.js';
import { readStatus, WebhookPart, WebhookState, type WebhookStatus } from './webhook-parts.js';

/** When a page that says that something is being resent is loaded again, once. */
export const RELOAD_AFTER_MS = 2000;

const PAGE_SIZE = 20;

/** Whether events arrive, how the deliveries of the last two days ended, and the deliveries. */
export const listDeliveries = memberPage({
  path: paths.webhooks(':id'),
  isList: true,
  async get(visit) {
    const status = await readStatus(visit);
    const list = status && (await readLog(visit));
    const notice = visit.consumeNotice();
    const isResent = notice?.name.endsWith('-redelivered') === true;
    const resent = isResent ? notice : status && list && (await howItEnded(visit, status, list));
    visit.show(
      {
        title: 'Webhooks',
        problems: list !== null && Object.keys(list.problems).length > 0 ? otherProblems : noProblems,
        notice: isResent ? null : notice,
      },
      <WebhookPart visit={visit} webhook={status?.webhook ?? null} chosen="log">
        {status !== null && list !== null && (
          <>
            <div class="columns wide">
              <WebhookState visit={visit} {...status} />
              <HourChart {...list.summary} zone={visit.zone} />
            </div>
            <DeliveryList {...{ visit, list, resent }} isEnabled={status.webhook.enabled} />
          </>
        )}
      </WebhookPart>,
    );
  },
});

/** Of what was resent, once the page has said that it is. */
async function howItEnded(
  { core, organization, request }: MemberVisit,
  { undelivered }: WebhookStatus,
  { summary }: DeliveryLog,
): Promise<Pick<NoticeView, 'text' | 'tone'> | null> {
  if (request.query[RESENT] === undefined) return null;
  const deliveryId = Number(request.query[RESENT]);
  if (deliveryId > 0) {
    const found = await unlessRefused(core.readDelivery({ organization, deliveryId, onlyLastAttempt: true }));
    if (found === null) return null;
    if (found.state === 'pending' || found.state === 'sending') return stillResending;
    const result = resultOf(found);
    if (found.state === 'delivered') return { tone: 'success', text: `Resent and delivered: ${result}.` };
    return { tone: 'warning', text: `Resent, but not delivered: ${result}` };
  }
  if (summary.pending > 0) return stillResending;
  if (undelivered === 0) return { tone: 'success', text: 'Resent. Nothing is undelivered any more.' };
  const events = counted(undelivered, { one: 'event is', several: 'events are' });
  return { tone: 'warning', text: `Resent. ${events} still undelivered.` };
}

const stillResending = { tone: 'success', text: 'Still resending…' } as const;

type DeliveryLog = Awaited<ReturnType<typeof readLog>>;

async function readLog({ core, organization, request, zone }: MemberVisit) {
  const query = deliveryQueryIn(request.query);
  const { criteria, problems } = readQuery(query, zone);
  const [listed, summary] = await Promise.all([
    foundBy(core.listDeliveries({ organization, ...criteria, limit: PAGE_SIZE }), 'Person'),
    core.summarizeDeliveries({ organization }),
  ]);
  const found = 'deliveries' in listed ? listed : { deliveries: [], older: null };
  const person = 'fields' in listed ? listed.fields.search : undefined;
  return { ...found, summary, query, problems: { ...problems, ...(person !== undefined && { person }) } };
}

interface DeliveryListProps {
  readonly visit: MemberVisit;
  readonly list: DeliveryLog;
  /** Whether the webhook is on. While it is off, only tests can be resent. */
  readonly isEnabled: boolean;
  /** What to say about deliveries that were resent. With a name, that they are: the page is loaded again then. */
  readonly resent: (Pick<NoticeView, 'text' | 'tone'> & Partial<NoticeView>) | null;
}

function DeliveryList({ visit, list, isEnabled, resent }: DeliveryListProps) {
  const { query, deliveries, older } = list;
  const path = paths.webhooks(visit.organization.id);
  const choices = deliveryFilters
    .map((filter) => ({
      ...filter,
      count: countText(list.summary, filter),
      href: deliveriesPath(path, { ...query, filter, older: null }),
    }))
    .filter(({ name, count }) => count !== '0' || name === query.filter.name);
  const isUnused = deliveries.length === 0 && !isNarrowed(query);
  const sideFrom = (start: string | null, text: string) => ({
    href: deliveriesPath(path, { ...query, older: start }),
    text,
  });
  return (
    <section id="log" aria-labelledby="log-title">
      <h2 class="list-title" id="log-title">
        Recent deliveries
      </h2>
      {resent !== null && (
        <Banner tone={resent.tone} role="status">
          {resent.text}{' '}
          {(resent.name !== undefined || list.summary.pending > 0) && (
            // Without a fragment, a browser loads the page that it already shows anew.
            <a
              href={resentPath(path, String(visit.request.query[RESENT]), query)}
              data-reload-after={resent.name === undefined ? undefined : RELOAD_AFTER_MS}
            >
              Refresh
            </a>
          )}
        </Banner>
      )}
      {!isUnused && (
        <>
          <Filters label="Deliveries to show" choices={choices} chosen={query.filter.name} />
          <Search path={path} list={list} />
          <Count list={list} />
        </>
      )}
      {deliveries.length === 0 ? (
        <EmptyList {...{ visit, query, path }} />
      ) : (
        <>
          <ZoneNote zone={visit.zone} />
          <DataTable
            caption={`Deliveries: ${query.filter.title}`}
            columns={columnsFor({ visit, query, isEnabled })}
            rows={deliveries}
          />
        </>
      )}
      <Sides
        label="Pages of deliveries"
        before={query.older === null ? null : sideFrom(null, 'Newest')}
        after={older === null ? null : { ...sideFrom(older, 'Older'), rel: 'next' }}
      />
    </section>
  );
}

/** The deliveries of a filter. Empty: not counted. A plus: there may be older ones, which were not counted. */
export function countText(summary: DeliverySummary, { name }: DeliveryQuery['filter']): string {
  if (name === 'all') return '';
  const text = inEnglish(summary[name]);
  if (!summary.hasOlder || (name !== 'delivered' && name !== 'skipped')) return text;
  return text === '0' ? '' : `${text}+`;
}

/** Searches by person, time and event. The result has an address that can be bookmarked. */
function Search({ path, list: { query, problems } }: { readonly path: string; readonly list: DeliveryLog }) {
  const { since, until, person, event } = query;
  return (
    <details class="search" open={isSearch(query)}>
      <summary>Search by person, time or event</summary>
      <form method="get" action={`${path}#log`} noValidate>
        <HiddenFields fields={queryFields({ ...query, ...notSearched })} />
        <Field
          isRequired={false}
          name="person"
          label="Person"
          value={person}
          help="Part of the name or email address of a member."
          problem={problems.person}
        />
        <div class="columns">
          <TimestampField name="since" label="Since" value={since} problem={problems.since} />
          <TimestampField name="until" label="Until" value={until} problem={problems.until} />
        </div>
        <Field
          isRequired={false}
          name="event"
          label="Event ID"
          value={event}
          help="From the event_id field or the header of the request that your endpoint received."
        />
        <div class="actions">
          <SearchButton />
          <a href={deliveriesPath(path, { ...query, ...notSearched })}>Show all</a>
        </div>
      </form>
    </details>
  );
}

/** A field for a time that need not be filled in. */
export function TimestampField(props: ComponentProps<typeof DayField>) {
  return <Field {...props} type="datetime-local" step={1} isRequired={false} />;
}

/** Whether there may be deliveries that the query leaves out. */
function isNarrowed(query: DeliveryQuery): boolean {
  return query.older !== null || query.filter.name !== 'all' || isSearch(query);
}

/** The log has no total, so a list of several pages says only what this page shows. */
function Count({ list: { query, deliveries, older, problems } }: Pick<DeliveryListProps, 'list'>) {
  const isAsked = query.filter.name !== 'all' || isSearch(query);
  if (!isAsked || Object.keys(problems).length > 0) return null;
  const newest = query.older === null && older !== null ? 'The newest ' : '';
  return <ListCount isNarrowed>{`${newest}${counted(deliveries.length, wordsFor(query))}`}</ListCount>;
}

function wordsFor({ filter: { name, title }, older }: DeliveryQuery): CountedWords {
  const age = older === null ? '' : 'older ';
  if (name === 'tests') return { one: `${age}test`, several: `${age}tests` };
  const adjectives: Readonly<Record<string, string>> = { all: '', delivered: 'successful ' };
  const state = adjectives[name] ?? `${title.toLowerCase()} `;
  return { one: `${age}${state}delivery`, several: `${age}${state}deliveries` };
}

function EmptyList({ visit, query, path }: PartProps<{ query: DeliveryQuery; path: string }>) {
  if (isNarrowed(query))
    return (
      <Empty next={{ href: `${path}#log`, text: 'Show all deliveries' }}>
        {query.older === null ? 'No deliveries match.' : 'There are no older deliveries.'}
      </Empty>
    );
  return (
    <Empty next={{ href: paths.testWebhook(visit.organization.id), text: 'Go to the test' }}>
      No deliveries yet. Send a test to check that your endpoint works.
    </Empty>
  );
}

function columnsFor(list: Omit<RedeliverRowProps, 'delivery'>): readonly Column<Delivery>[] {
  const { organization, zone } = list.visit;
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
      title: 'Person',
      cell: (delivery) => (
        <>
          <span class="one-line">
            <Person {...delivery} />
          </span>{' '}
          {delivery.isTest && <Badge tone="neutral">Test</Badge>}
        </>
      ),
    },
    { title: 'State', cell: StateBadge },
    {
      title: 'Result',
      cell: (delivery) => (
        <span>
          <span class="result">{resultOf(delivery)}</span>
          {delivery.attempts.length > 1 && (
            <span class="secondary-text">{` · ${delivery.attempts.length} attempts`}</span>
          )}
        </span>
      ),
    },
    { title: 'Actions', isAction: true, cell: (delivery) => <RedeliverRow {...list} delivery={delivery} /> },
  ];
}

/** Whom the event is about. */
export function Person(delivery: Pick<Delivery, 'body'>) {
  const [name = '', address] = subjectOf(delivery);
  return (
    <>
      <bdi>{name}</bdi>
      {address !== undefined && (
        <>
          {' '}
          <bdi class="secondary-text">{address}</bdi>
        </>
      )}
    </>
  );
}

export function StateBadge({ state }: Pick<Delivery, 'state'>) {
  const { label, tone } = stateLabels[state];
  return (
    <span>
      <Badge tone={tone}>{label}</Badge>
    </span>
  );
}
