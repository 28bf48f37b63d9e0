import type { PageOf } from '@rollcall/core';
import type { Request } from 'express';
import type { ComponentChildren, ComponentProps } from 'preact';
import { withQuery } from '../paths.js';
import {
  type Column,
  DataTable,
  Empty,
  Icon,
  type PageLink,
  type Parent,
  SearchButton,
} from './components.js';
import { choicesOf, Field, type FormProblems, noProblems, problemsOf, Select } from './form.js';
import { type TimeZone, ZoneNote } from './times.js';

/** What the address of a list can ask for. */
export interface ListKind<Filter extends string, Order extends string> {
  /** The things of the list, for the search and the filters. */
  readonly things: string;
  /** The parameter of the filter, with the titles of its values. */
  readonly filter: string;
  readonly filters: Readonly<Record<Filter, string>>;
  /** The choice without a filter. */
  readonly all: string;
  /** The first order is the usual one. */
  readonly orders: Readonly<Record<Order, string>>;
  /** The link that leads to the whole list. */
  readonly showAll: string;
  /** Where a search looks, after what it has found. By default that is not said. */
  readonly searched?: string;
}

export interface ListQuery<Filter extends string, Order extends string> {
  /** Empty: no search. */
  readonly search: string;
  /** Undefined: any. */
  readonly filter: Filter | undefined;
  readonly order: Order;
}

/** An unknown filter means all, and an unknown order the usual one, just as an invalid page number means the first page. */
export function queryIn<Filter extends string, Order extends string>(
  kind: ListKind<Filter, Order>,
  request: Request,
): ListQuery<Filter, Order> {
  const { sort, [kind.filter]: filter } = request.query;
  return {
    search: searchIn(request),
    filter: isKeyOf(kind.filters, filter) ? filter : undefined,
    order: isKeyOf(kind.orders, sort) ? sort : usualOrder(kind),
  };
}

function isKeyOf<Key extends string>(table: Readonly<Record<Key, string>>, key: unknown): key is Key {
  return typeof key === 'string' && Object.hasOwn(table, key);
}

function usualOrder<Order extends string>({ orders }: ListKind<string, Order>): Order {
  return Object.keys(orders)[0] as Order;
}

/** Whether the address, with the parameters of more fields, may leave out something. */
export function isNarrowed({ search, filter }: ListQuery<string, string>, parameters = {}): boolean {
  return search !== '' || filter !== undefined || Object.keys(parameters).length > 0;
}

/** The parameters of the list's address. */
function parametersOf<Filter extends string, Order extends string>(
  kind: ListKind<Filter, Order>,
  { search, filter, order }: ListQuery<Filter, Order>,
): Readonly<Record<string, string>> {
  return {
    ...(search !== '' && { search }),
    ...(filter !== undefined && { [kind.filter]: filter }),
    ...(order !== usualOrder(kind) && { sort: order }),
  };
}

/** What was found, or the problem of the search. */
export type Found<Row> = PageOf<Row> | FormProblems;

/** The page of the list that is found, or the problem of the search. */
export function foundBy<Page>(work: Promise<Page>, label = 'Search'): Promise<Page | FormProblems> {
  return work.catch((error: unknown) => problemsOf(error, { search: label }));
}

export function problemsIn(found: Found<unknown>): FormProblems {
  return 'items' in found ? noProblems : found;
}

interface SearchFormProps {
  readonly path: string;
  /** How its fields are arranged. */
  readonly look?: string;
  readonly children: ComponentChildren;
  /** The link that leads to everything, if something is left out. */
  readonly showAll: PageLink | false;
}

/** A form whose result has an address that can be bookmarked. */
export function SearchForm({ path, look, children, showAll }: SearchFormProps) {
  return (
    <search>
      <form
        class={look === undefined ? 'search-form' : `search-form ${look}`}
        method="get"
        action={path}
        noValidate
      >
        {children}
        <div class="actions">
          <SearchButton />
          {showAll && <a href={showAll.href}>{showAll.text}</a>}
        </div>
      </form>
    </search>
  );
}

export function SearchField(
  props: Pick<ComponentProps<typeof Field>, 'label' | 'value' | 'help' | 'problem'>,
) {
  return <Field {...props} name="search" isRequired={false} />;
}

/** The search in the address. Empty: there is none. */
export function searchIn({ query: { search } }: Request): string {
  return typeof search === 'string' ? search.trim() : '';
}

/** The filters that find something, with how much, and the one that is chosen. */
function filterChoices<Filter extends string, Order extends string>(
  { filters }: ListKind<Filter, Order>,
  { filter }: ListQuery<Filter, Order>,
  counts: Readonly<Record<Filter, number>> | undefined,
) {
  return (Object.entries(filters) as [Filter, string][])
    .filter(([name]) => name === filter || counts?.[name] !== 0)
    .map(([value, title]) => ({
      value,
      text: counts === undefined ? title : `${title} (${inEnglish(counts[value])})`,
    }));
}

interface RowsProps<Row> {
  readonly found: PageOf<Row>;
  readonly zone: TimeZone;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** The parameters of the address, which the links keep. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The file with all rows. */
  readonly file?: string;
  /** Puts the table into a form. */
  readonly around?: (table: ComponentChildren) => ComponentChildren;
  /** Shown if there is nothing at all. */
  readonly empty: ComponentChildren;
}

/** One page of a list, with links to the others and to a file with all of them. */
export function ListRows<Row>(props: RowsProps<Row>) {
  const { found, zone, parameters = {}, file, around = (table) => table, empty } = props;
  const { items, page, totalItems, totalPages } = found;
  if (items.length === 0) return totalItems > 0 ? <PastEnd parameters={parameters} /> : empty;
  return (
    <>
      <div class="above-list">
        <ZoneNote zone={zone} />
        {file !== undefined && (
          <p class="list-link">
            <a href={`${file}?${new URLSearchParams(parameters)}`} class="with-icon">
              <Icon name="download" />
              Download as CSV
            </a>
          </p>
        )}
      </div>
      {around(<DataTable {...props} rows={items} />)}
      <Pagination current={page} total={totalPages} query={parameters} />
    </>
  );
}

/** Shown instead of a page after the last one. */
export function PastEnd({ parameters }: { readonly parameters: Readonly<Record<string, string>> }) {
  const first = withQuery('', { ...parameters, page: '1' });
  return <Empty next={{ href: first, text: 'Go to the first page' }}>This page is empty.</Empty>;
}

interface SearchedListProps<Row, Filter extends string, Order extends string>
  extends Omit<RowsProps<Row>, 'found' | 'empty'> {
  readonly kind: ListKind<Filter, Order>;
  readonly path: string;
  readonly query: ListQuery<Filter, Order>;
  readonly found: Found<Row> & { readonly counts?: Readonly<Record<Filter, number>> };
  /** More fields of the search. The parameters are what they ask for. */
  readonly fields?: ComponentChildren;
  /** Whether there is anything to search. */
  readonly hasControls?: boolean;
  /** The words for how much is found. Null: not said. */
  readonly words: CountedWords | null;
  /** After the number, unless there is a search. */
  readonly aside?: string;
  /** Shown if nothing at all is found, with a link to the whole list. */
  readonly noMatch: ComponentChildren;
  /** Shown instead if the address leaves out nothing. */
  readonly empty?: ComponentChildren;
}

/** One page of a list, below one line that searches, filters and sorts it. */
export function SearchedList<Row, Filter extends string, Order extends string>(
  list: SearchedListProps<Row, Filter, Order>,
) {
  const { kind, path, query, found, fields, parameters = {}, hasControls = true, words, noMatch } = list;
  const orders = choicesOf(kind.orders);
  const isAsked = isNarrowed(query, parameters);
  const showAll = { href: path, text: kind.showAll };
  const empty = !isAsked && list.empty ? list.empty : <Empty next={showAll}>{noMatch}</Empty>;
  return (
    <>
      {hasControls && (
        <SearchForm
          path={path}
          look={fields === undefined ? 'with-order' : 'with-fields'}
          showAll={isAsked && showAll}
        >
          <SearchField
            label={`Search ${kind.things}`}
            value={query.search}
            problem={problemsIn(found).fields.search}
          />
          <Select
            name={kind.filter}
            label={kind.filter.replace(/^./, (first) => first.toUpperCase())}
            choices={[{ value: '', text: kind.all }, ...filterChoices(kind, query, found.counts)]}
            value={query.filter ?? ''}
          />
          {orders.length > 1 && <Select name="sort" label="Sort by" choices={orders} value={query.order} />}
          {fields}
        </SearchForm>
      )}
      {'items' in found && hasControls && words !== null && (
        <ListCount isNarrowed={isAsked}>
          {counted(found.totalItems, words)}
          {query.search !== '' && kind.searched !== undefined ? (
            <>
              {' '}
              with “<bdi>{query.search}</bdi>” in {kind.searched}
            </>
          ) : (
            list.aside
          )}
        </ListCount>
      )}
      {'items' in found && (
        <ListRows
          {...list}
          {...{ found, empty }}
          parameters={{ ...parametersOf(kind, query), ...parameters }}
        />
      )}
    </>
  );
}

export type CountedWords = Readonly<Record<'one' | 'several', string>>;

/** "1 person", "1,200 people" or "No people". */
export function counted(count: number, { one, several }: CountedWords): string {
  if (count === 0) return `No ${several}`;
  return `${inEnglish(count)} ${count === 1 ? one : several}`;
}

/** `1,200` */
export function inEnglish(number: number): string {
  return number.toLocaleString('en');
}

/** Screen readers read it if the reader has searched or filtered. */
export function ListCount({ isNarrowed, children }: Parent<{ isNarrowed: boolean }>) {
  return (
    <p class="list-count" {...(isNarrowed && { role: 'status' as const })}>
      {children}
    </p>
  );
}

/** Links to the pages of a list, which keep its other parameters. Shows nothing if there is only one page. */
export function Pagination({
  current,
  total,
  query = {},
}: Readonly<{ current: number; total: number; query?: Readonly<Record<string, string>> }>) {
  if (total < 2 || current > total) return null;
  const page = (number: number) => withQuery('', { ...query, page: String(number) });
  return (
    <nav class="pagination" aria-label="Pages">
      <SideLink to={current > 1 ? { href: page(current - 1), text: 'Previous', rel: 'prev' } : null} />
      {/* Phones show this instead of the numbers. */}
      <span class="page-of">{`Page ${current} of ${total}`}</span>
      <ol class="plain page-numbers">
        {shownPages(current, total).map((number, index) =>
          number === null ? (
            <li key={`gap-${index}`}>…</li>
          ) : (
            <li key={number}>
              <a
                href={page(number)}
                aria-label={`Page ${number}`}
                {...(number === current && { 'aria-current': 'page' as const })}
              >
                {number}
              </a>
            </li>
          ),
        )}
      </ol>
      <SideLink to={current < total ? { href: page(current + 1), text: 'Next', rel: 'next' } : null} />
    </nav>
  );
}

type LinkedSide = (PageLink & { readonly rel?: 'prev' | 'next' }) | null;

/** Links to what is before and after, where there are no numbers of pages. Shows nothing without either. */
export function Sides({
  label,
  before,
  after,
}: Readonly<{ label: string; before: LinkedSide; after: LinkedSide }>) {
  if (before === null && after === null) return null;
  return (
    <nav class="pagination" aria-label={label}>
      <SideLink to={before} />
      <span />
      <SideLink to={after} />
    </nav>
  );
}

/** An empty element keeps the other side in its place. */
function SideLink({ to }: { readonly to: LinkedSide }) {
  if (to === null) return <span />;
  return (
    <>
      <a href={to.href} rel={to.rel}>
        {to.text}
      </a>{' '}
    </>
  );
}

/** The first and the last page, and the current one with its neighbors. Null: a gap of at least two pages. */
export function shownPages(current: number, total: number): readonly (number | null)[] {
  const near = [1, current - 1, current, current + 1, total];
  // A gap takes as much room as the one page that it would hide.
  if (current === 4) near.push(2);
  if (current === total - 3) near.push(total - 1);
  const pages = [...new Set(near)]
    .filter((page) => page >= 1 && page <= total)
    .sort((one, other) => one - other);
  return pages.flatMap((page, index) => {
    const previous = pages[index - 1] ?? 0;
    return page - previous > 1 ? [null, page] : [page];
  });
}
