import type { ActivityKind, AuditEntry, ListActivity, Who } from '@rollcall/core';
import { parseClockTime } from '@rollcall/core/rules';
import type { Request } from 'express';
import { BackLink, type Column, Empty, Stack } from '../design/components.js';
import { DayField, Select } from '../design/form.js';
import {
  type CountedWords,
  counted,
  type Found,
  foundBy,
  isNarrowed,
  type ListKind,
  type ListQuery,
  problemsIn,
  queryIn,
  SearchedList,
} from '../design/list.js';
import { Timestamp, type TimeZone } from '../design/times.js';
import { sendList } from '../download.js';
import { memberPage } from '../page.js';
import { paths, withQuery } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { activityNames, actorLabels, entryTexts, objectPath } from './activity-texts.js';

const kind: ListKind<ActivityKind, 'newest'> = {
  things: 'activity',
  filter: 'kind',
  filters: {
    organization: 'Organization',
    people: 'People',
    invitations: 'Invitations',
    'login-links': 'Login links',
    'sign-on': 'Sign-on',
    directory: 'Directory',
    'access-key': 'Access key',
    webhook: 'Webhook',
    deliveries: 'Deliveries',
    downloads: 'Downloads',
  },
  all: 'All',
  orders: { newest: 'Newest first' },
  showAll: 'Show all activity',
};

/** What the address asks for, beside the search and the kind. Empty: not narrowed. */
interface Narrowing {
  /** The id of a user, or the kind of another actor. */
  readonly who: string;
  /** Days, as typed. */
  readonly from: string;
  readonly to: string;
}

export const listActivity = memberPage({
  path: paths.activity(':id'),
  section: 'home',
  role: 'owner',
  get: showActivity,
});

/** The entries that the list shows with the same address, on all its pages, as a CSV file. */
export const exportActivity = memberPage({
  path: paths.activityFile(':id'),
  section: 'home',
  role: 'owner',
  get(visit) {
    const { core, organization, request } = visit;
    const narrowing = narrowingIn(request);
    const { from, to } = narrowing;
    const { selection } = selectionIn(visit, queryIn(kind, request), narrowing);
    const first = selection.since === undefined ? '' : `-from-${from}`;
    const last = selection.until === undefined ? '' : `-to-${to}`;
    return sendList(visit, {
      list: 'activity',
      name: `activity${first}${last}`,
      exported: core.exportActivity({ organization, ...selection, describe: entryTexts }),
      listed: core.listActivity({ organization, ...selection, size: 1 }),
    });
  },
});

async function showActivity(visit: MemberVisit): Promise<void> {
  const { core, organization, zone, request } = visit;
  const query = queryIn(kind, request);
  const narrowing = narrowingIn(request);
  const { selection, problems } = selectionIn(visit, query, narrowing);
  const isValid = Object.keys(problems).length === 0;
  const found: Found<AuditEntry> = isValid
    ? await foundBy(core.listActivity({ organization, ...selection, page: request.query.page }))
    : { general: null, fields: problems };
  const path = paths.activity(organization.id);
  const parameters = parametersOf(narrowing);
  const isAsked = isNarrowed(query, parameters);
  visit.show({
    title: `Activity in ${organization.name}`,
    problems: problemsIn(found),
    body: (
      <>
        <BackLink href={paths.organization(organization.id)}>Home</BackLink>
        <hgroup>
          <h1>Activity</h1>
          <p>Who did what, and from where, newest first. Entries are kept for one year.</p>
        </hgroup>
        <SearchedList
          {...{ kind, path, query, found, zone, parameters }}
          {...activityTable(zone)}
          fields={<NarrowingFields {...{ narrowing, found }} people={await peopleOf(visit, narrowing)} />}
          countOf={(totalItems) => (isAsked ? counted(totalItems, words) : null)}
          file={paths.activityFile(organization.id)}
          empty={
            isAsked ? (
              <Empty next={{ href: path, text: kind.showAll }}>No activity matches.</Empty>
            ) : (
              <NoActivity />
            )
          }
        />
      </>
    ),
  });
}

const words: CountedWords = { one: 'entry', several: 'entries' };

function narrowingIn({ query }: Request): Narrowing {
  const text = (name: string) => {
    const value = query[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  return { who: whoIn(text('who')) === undefined ? '' : text('who'), from: text('from'), to: text('to') };
}

function parametersOf(narrowing: Narrowing): Record<string, string> {
  return Object.fromEntries(Object.entries(narrowing).filter(([, value]) => value !== ''));
}

/** An unknown actor means anyone, just as an unknown filter means all. */
function whoIn(text: string): Who | undefined {
  if (/^[1-9]\d{0,14}$/.test(text)) return { kind: 'user', userId: Number(text) };
  return otherActors.find((other) => other.kind === text);
}

const otherActors = [
  { kind: 'access-key' },
  { kind: 'command-line' },
  { kind: 'directory' },
  { kind: 'setup-link' },
  { kind: 'operator' },
  { kind: 'program' },
] as const satisfies readonly Who[];

interface Selected {
  readonly selection: Omit<ListActivity, 'organization'>;
  /** Of days that are none. They are not part of the selection. */
  readonly problems: Readonly<Partial<Record<'startTime' | 'endTime', string>>>;
}

function selectionIn(
  { zone }: Pick<MemberVisit, 'zone'>,
  { search, filter }: ListQuery<ActivityKind, 'newest'>,
  { who, from, to }: Narrowing,
): Selected {
  const [since, until] = [dayIn(from, zone)?.since, dayIn(to, zone)?.until];
  return {
    selection: { who: whoIn(who), kind: filter, since, until, search, names: activityNames },
    problems: {
      ...(from !== '' && since === undefined && { startTime: `From ${NOT_A_DAY}` }),
      ...(to !== '' && until === undefined && { endTime: `To ${NOT_A_DAY}` }),
    },
  };
}

const NOT_A_DAY = 'must be a date, such as 2026-11-20';

/** The first moment of a day, and that of the next one. Null: there is no such day. */
function dayIn(day: string, zone: TimeZone): { readonly since: Date; readonly until: Date } | null {
  const start = parseClockTime(`${day}T00:00`, zone)?.first;
  if (start === undefined) return null;
  const next = new Date(`${day}T00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const until = parseClockTime(next.toISOString().slice(0, 16), zone)?.first;
  return until === undefined ? null : { since: start, until };
}

interface Choice {
  readonly value: string;
  readonly text: string;
}

/** As many owners, and as many admins, as can be chosen from the list. Others are chosen by their name in an entry. */
const MAX_CHOICES = 25;

/** The people who manage the organization, and the chosen one. */
async function peopleOf({ core, organization }: MemberVisit, { who }: Narrowing): Promise<readonly Choice[]> {
  const found = await Promise.all(
    (['owner', 'admin'] as const).map((role) =>
      core.listMembers({ organization, role, order: 'name', size: MAX_CHOICES }),
    ),
  );
  const people = found.flatMap(({ items }) => items).map(({ user }) => choiceOf(user));
  const chosen = whoIn(who);
  if (chosen?.kind !== 'user' || people.some(({ value }) => value === who)) return people;
  const { items } = await core.listActivity({ organization, who: chosen, size: 1 });
  const user = items[0]?.user;
  return [...people, user ? choiceOf(user) : { value: who, text: 'Someone who did nothing here' }];
}

function choiceOf({ id, firstName, lastName }: NonNullable<AuditEntry['user']>): Choice {
  return { value: String(id), text: `${firstName} ${lastName}` };
}

interface NarrowingFieldsProps {
  readonly narrowing: Narrowing;
  readonly found: Found<AuditEntry>;
  readonly people: readonly Choice[];
}

function NarrowingFields({ narrowing: { who, from, to }, found, people }: NarrowingFieldsProps) {
  const problems = 'items' in found ? {} : found.fields;
  const others = otherActors.map((actor) => ({ value: actor.kind, text: actorLabels[actor.kind] }));
  return (
    <>
      <Select
        name="who"
        label="Done by"
        choices={[{ value: '', text: 'Anyone' }, ...people, ...others]}
        value={who}
      />
      <DayField name="from" label="From" value={from} problem={problems.startTime} />
      <DayField name="to" label="To" value={to} problem={problems.endTime} />
    </>
  );
}

export function activityTable(zone: TimeZone) {
  return { caption: 'Who did what, newest first', columns: columnsFor(zone) };
}

export function NoActivity() {
  return (
    <Empty next={{ href: paths.guide, text: 'Read the guide' }}>
      No activity yet. Changes by owners, admins and programs will be listed here.
    </Empty>
  );
}

function columnsFor(zone: TimeZone): readonly Column<AuditEntry>[] {
  return [
    { title: 'When', cell: ({ at }) => <Timestamp at={at} zone={zone} />, isShort: true },
    { title: 'Who', cell: (entry) => <Actor entry={entry} /> },
    { title: 'What', cell: (entry) => <What entry={entry} /> },
    { title: 'IP address', cell: ({ actor }) => actor.from ?? '–', isShort: true },
  ];
}

interface EntryProps {
  readonly entry: AuditEntry;
}

function What({ entry }: EntryProps) {
  const { what, details } = entryTexts(entry);
  const path = objectPath(entry);
  const { about } = entry;
  return (
    <Stack>
      {path === null ? <span>{what}</span> : <a href={path}>{what}</a>}
      {about !== null && <bdi class="secondary-text">{`${about.firstName} ${about.lastName}`}</bdi>}
      {details !== null && <bdi class="secondary-text">{details}</bdi>}
    </Stack>
  );
}

/** The name leads to what the person did. */
function Actor({ entry: { organizationId, actor, user } }: EntryProps) {
  if (user === null) return <>{actorLabels[actor.who.kind]}</>;
  return (
    <Stack>
      <a href={withQuery(paths.activity(organizationId), { who: String(user.id) })}>
        <bdi>{`${user.firstName} ${user.lastName}`}</bdi>
      </a>
      <bdi class="secondary-text">{user.email}</bdi>
    </Stack>
  );
}
