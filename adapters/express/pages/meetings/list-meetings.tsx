import type { ListedMeetings, MeetingDates, MeetingState } from '@rollcall/core';
import type { Request } from 'express';
import { Actions, Badge, type Column, Empty, Filters } from '../design/components.js';
import { choicesOf, DayField, type FormProblems, noProblems, problemsOf, Select } from '../design/form.js';
import { counted, inEnglish, ListRows, SearchField, SearchForm } from '../design/list.js';
import { dayInWords, StartTime, zoneName } from '../design/times.js';
import { COLUMN_PRESET, fields } from '../export/export-choice.js';
import { memberPage } from '../page.js';
import { paths, withQuery } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { MeetingStateView } from './meeting-states.js';
import { SEARCH_HELP } from './own-meetings.js';

const statuses = {
  upcoming: { title: 'Upcoming', one: 'upcoming meeting', several: 'upcoming meetings' },
  past: { title: 'Completed', one: 'completed meeting', several: 'completed meetings' },
  canceled: { title: 'Canceled', one: 'canceled meeting', several: 'canceled meetings' },
  ended: {
    title: 'Not completed',
    one: 'meeting that ended and was not completed',
    several: 'meetings that ended and were not completed',
  },
  all: { title: 'All', one: 'meeting', several: 'meetings' },
} as const satisfies Readonly<Record<MeetingState | 'all', unknown>>;

type Status = keyof typeof statuses;

type Dates = MeetingDates | 'custom' | '';

const datesLabels: Readonly<Record<Dates, string>> = {
  '': 'Any day',
  today: 'Today',
  this_week: 'This week',
  next_week: 'Next week',
  current_month: 'This month',
  next_month: 'Next month',
  last_week: 'Last week',
  last_month: 'Last month',
  custom: 'Between two days',
};

const orders = { earliest: 'Earliest first', latest: 'Latest first' } as const;

type Order = keyof typeof orders;

type Query = ReturnType<typeof queryIn>;

/** The meetings of an organization, for its owners and admins: what comes next first. */
export const listMeetings = memberPage({
  path: paths.organizationMeetings(':id'),
  isList: true,
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const query = queryIn(request);
    const { search, status, dates, from, to, sort: order } = query;
    const parameters = parametersOf(query);
    const found = await core
      .listMeetings({
        ...{ organization, search, order, page: request.query.page },
        ...(status !== 'all' && { state: status }),
        ...(dates === 'custom' ? { from, to } : dates !== '' && { dates }),
      })
      .catch((error: unknown) => problemsOf(error, { search: 'Search', startTime: 'From', endTime: 'To' }));
    const isFound = 'items' in found;
    const isNarrowed = Object.keys(parameters).length > 0;
    visit.show(
      { title: `Meetings of ${organization.name}`, problems: isFound ? noProblems : found },
      <div class="with-action">
        <hgroup>
          <h1>Meetings</h1>
          {isFound && <p {...(isNarrowed && { role: 'status' as const })}>{countOf(found, query)}</p>}
        </hgroup>
        <Actions
          secondary={{ 'By week': paths.weeks(organization.id), Export: exportPath(visit, query, found) }}
        />
      </div>,
      <Controls {...{ visit, query, found }} />,
      isFound && (
        <div class="meeting-list">
          <ListRows
            {...{ found, zone, parameters }}
            caption="Meetings"
            columns={columnsFor(visit, found.asOf)}
            empty={<NoMeetings {...{ visit, query }} />}
          />
        </div>
      ),
    );
  },
});

type Found = ListedMeetings | FormProblems;

/** What is not known has its default. */
function queryIn({ query: given }: Request) {
  const text = (name: string): string => (typeof given[name] === 'string' ? given[name].trim() : '');
  const known = <Key extends string>(table: Readonly<Record<Key, unknown>>, name: string, otherwise: Key) =>
    Object.hasOwn(table, text(name)) ? (text(name) as Key) : otherwise;
  const dates = known<Dates>(datesLabels, 'dates', '');
  const status = known<Status>(statuses, 'status', usualStatus(dates));
  const [from, to] = dates === 'custom' ? [text('from'), text('to')] : ['', ''];
  const sort = known<Order>(orders, 'sort', usualSort(status));
  return { search: text('search'), status, dates, from, to, sort };
}

/** In a time that is over, nothing is upcoming. */
function usualStatus(dates: Dates): Status {
  return dates === 'last_week' || dates === 'last_month' ? 'all' : 'upcoming';
}

function usualSort(status: Status): Order {
  return status === 'upcoming' ? 'earliest' : 'latest';
}

/** The parameters of the list's address. What is usual is left out. */
function parametersOf({ status, sort, ...others }: Query): Readonly<Record<string, string>> {
  const given = {
    ...{ ...others, status: status === usualStatus(others.dates) ? '' : status },
    sort: sort === usualSort(status) ? '' : sort,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

function Controls({ visit, query, found }: PartProps<{ query: Query; found: Found }>) {
  const { organization, defaultTimeZone } = visit;
  const { search, status, dates, from, to, sort } = query;
  const path = paths.organizationMeetings(organization.id);
  const problems = 'items' in found ? noProblems.fields : found.fields;
  const linkTo = (other: Status) =>
    withQuery(path, parametersOf({ ...query, status: other, sort: usualSort(other) }));
  return (
    <>
      <SearchForm
        path={path}
        look="with-order meeting-search"
        showAll={(search !== '' || dates !== '') && { href: linkToAll(path, query), text: 'Clear' }}
      >
        {status !== usualStatus(dates) && <input type="hidden" name="status" value={status} />}
        <SearchField label="Search meetings" value={search} help={SEARCH_HELP} problem={problems.search} />
        <Select name="dates" label="Dates" choices={choicesOf(datesLabels)} value={dates} />
        <Select name="sort" label="Sort by" choices={choicesOf(orders)} value={sort} />
        {/* Styles hide it unless the range needs it. */}
        <fieldset class="days columns">
          <legend class="visually-hidden">Days</legend>
          <DayField
            name="from"
            label="From"
            value={from}
            help={`Days begin at midnight in ${zoneName(organization.timeZone ?? defaultTimeZone)}.`}
            problem={problems.startTime}
          />
          <DayField name="to" label="To" value={to} problem={problems.endTime} />
        </fieldset>
      </SearchForm>
      <Filters
        label="Meetings to show"
        chosen={status}
        choices={(Object.keys(statuses) as Status[]).map((name) => ({
          ...{ name, title: statuses[name].title, href: linkTo(name) },
        }))}
      />
    </>
  );
}

/** The same status without a search. */
function linkToAll(path: string, { status: chosen, dates }: Query): string {
  const status = chosen === usualStatus(dates) ? usualStatus('') : chosen;
  const sort = usualSort(status);
  return withQuery(path, parametersOf({ search: '', dates: '', from: '', to: '', status, sort }));
}

function countOf(found: ListedMeetings, { search, status, sort }: Query) {
  const { from, to } = found.days;
  const start = from === null ? '' : ` from ${dayInWords(from)}`;
  const end = to === null ? '' : ` ${from === null ? 'until' : 'to'} ${dayInWords(to)}`;
  const count = `${numberOf(found, status)}${from === to && from !== null ? ` on ${dayInWords(from)}` : start + end}`;
  if (search !== '')
    return (
      <>
        {count} with “<bdi>{search}</bdi>” in the name, topic or host
      </>
    );
  return found.totalItems < 2 ? count : `${count}, ${orders[sort].toLowerCase()}${seatsOf(found)}`;
}

function numberOf({ totalItems, canceled }: ListedMeetings, status: Status): string {
  if (canceled === totalItems && canceled > 0) return counted(canceled, statuses.canceled);
  const open = counted(totalItems - canceled, statuses[status]);
  return canceled === 0 ? open : `${open} and ${inEnglish(canceled)} canceled`;
}

/** The seats of all meetings that are found, if they are on one page. Of canceled ones, none counts. */
function seatsOf({ items, totalPages }: ListedMeetings): string {
  const open = items.filter(({ state }) => state !== 'canceled');
  if (totalPages !== 1 || open.length === 0) return '';
  const sum = (seats: 'seatsTaken' | 'maxAttendees') =>
    inEnglish(open.reduce((all, row) => all + row[seats], 0));
  return `. ${sum('seatsTaken')} of ${sum('maxAttendees')} seats taken`;
}

type Row = ListedMeetings['items'][number];

function columnsFor({ organization, zone }: MemberVisit, now: Date): readonly Column<Row>[] {
  return [
    {
      title: 'Meeting',
      cell: ({ id, name, privacy, isOfService }) => (
        <span class="marked">
          <a class="one-line" href={paths.organizationMeeting(organization.id, id)}>
            <bdi>{name}</bdi>
          </a>{' '}
          {(isOfService || privacy) && <Badge tone="neutral">{isOfService ? 'Shared' : 'Private'}</Badge>}
        </span>
      ),
    },
    { title: 'Start', cell: ({ startTime }) => <StartTime at={startTime} {...{ zone, now }} /> },
    {
      title: 'Host',
      cell: ({ host }) => <span class="one-line">{host.trim() === '' ? '–' : <bdi>{host}</bdi>}</span>,
    },
    {
      title: 'Seats taken',
      cell: ({ seatsTaken, maxAttendees }) => `${inEnglish(seatsTaken)} of ${inEnglish(maxAttendees)}`,
      isNumber: true,
    },
    { title: 'Waiting', cell: waitingText, isNumber: true },
    { title: 'Status', cell: (meeting) => <MeetingStateView {...{ meeting, now }} />, isShort: true },
  ];
}

function waitingText({ waiting, offered }: Row): string {
  if (waiting === 0) return '–';
  return offered === 0 ? inEnglish(waiting) : `${inEnglish(waiting)} (${inEnglish(offered)} offered)`;
}

function NoMeetings({ visit: { organization, serviceName }, query }: PartProps<{ query: Query }>) {
  const { search, status, dates } = query;
  const path = paths.organizationMeetings(organization.id);
  if (search !== '' || dates !== '')
    return (
      <Empty next={{ href: linkToAll(path, query), text: 'Clear the search' }}>
        No meeting matches. Choose other dates, another status or a shorter search.
      </Empty>
    );
  if (status !== 'all')
    return (
      <Empty next={{ href: `${path}?status=all`, text: 'Show all meetings' }}>
        There are none with this status.
      </Empty>
    );
  return (
    <Empty next={{ href: paths.guide, text: 'Read the guide' }}>
      {`Meetings appear here when the people who run ${serviceName} import them.`}
    </Empty>
  );
}

/** The days that an export needs if the list has only one of the two. No meeting is earlier or later. */
const outermost = { from: '1900-01-01', to: '2999-12-31' } as const;

/** The form of the export with the same status and days, as far as it has them. */
function exportPath({ organization }: MemberVisit, { status }: Query, found: Found): string {
  const { from, to } = 'days' in found ? found.days : { from: null, to: null };
  const hasDays = from !== null || to !== null;
  const ranges: Partial<Record<Status, string>> = { upcoming: 'all_upcoming', past: 'all' };
  return withQuery(paths.exports(organization.id), {
    [COLUMN_PRESET]: 'defaults',
    [fields.reportingDays]: ranges[status] ?? (hasDays ? 'custom' : 'everything'),
    ...(hasDays && {
      [fields.startTime]: `${from ?? outermost.from}T00:00`,
      [fields.endTime]: `${to ?? outermost.to}T23:59`,
    }),
  });
}
