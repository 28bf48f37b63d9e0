import type { ActivityKind, AuditEntry, Who } from '@rollcall/core';
import { parseClockTime } from '@rollcall/core/rules';
import { NameLink, nameOf } from '../design/avatar.js';
import { BackLink, type Column, Empty, Stack } from '../design/components.js';
import { choicesOf, DayField, Select } from '../design/form.js';
import {
  type Found,
  foundBy,
  isNarrowed,
  type ListKind,
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

export const listActivity = memberPage({
  path: paths.activity(':id'),
  role: 'owner',
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const { query, narrowing, selection, problems } = selectionIn(visit);
    const isValid = Object.keys(problems).length === 0;
    const found: Found<AuditEntry> = isValid
      ? await foundBy(core.listActivity({ organization, ...selection, page: request.query.page }))
      : { general: null, fields: problems };
    const path = paths.activity(organization.id);
    const parameters = Object.fromEntries(Object.entries(narrowing).filter(([, value]) => value !== ''));
    const isAsked = isNarrowed(query, parameters);
    const people = await peopleOf(visit, narrowing.who);
    visit.show(
      { title: `Activity in ${organization.name}`, problems: problemsIn(found) },
      <BackLink href={paths.organization(organization.id)}>Home</BackLink>,
      <hgroup>
        <h1>Activity</h1>
        <p>Who did what, and from where, newest first. Entries are kept for one year.</p>
      </hgroup>,
      <SearchedList
        {...{ kind, path, query, found, zone, parameters }}
        {...activityTable(zone)}
        fields={
          <>
            <Select
              name="who"
              label="Done by"
              choices={[{ value: '', text: 'Anyone' }, ...people, ...choicesOf(activityNames.actors)]}
              value={narrowing.who}
            />
            <DayField name="from" label="From" value={narrowing.from} problem={problems.startTime} />
            <DayField name="to" label="To" value={narrowing.to} problem={problems.endTime} />
          </>
        }
        words={isAsked ? { one: 'entry', several: 'entries' } : null}
        file={paths.activityFile(organization.id)}
        noMatch="No activity matches."
        empty={<NoActivity />}
      />,
    );
  },
});

/** The entries that the list shows with the same address, on all its pages, as a CSV file. */
export const exportActivity = memberPage({
  path: paths.activityFile(':id'),
  role: 'owner',
  get(visit) {
    const { core, organization } = visit;
    const { narrowing, selection } = selectionIn(visit);
    const first = selection.since === undefined ? '' : `-from-${narrowing.from}`;
    const last = selection.until === undefined ? '' : `-to-${narrowing.to}`;
    return sendList(visit, {
      list: 'activity',
      name: `activity${first}${last}`,
      exported: core.exportActivity({ organization, ...selection, describe: entryTexts }),
      listed: core.listActivity({ organization, ...selection, size: 1 }),
    });
  },
});

/** An unknown actor means anyone, just as an unknown filter means all. */
function whoIn(text: string): Who | undefined {
  if (/^[1-9]\d{0,14}$/.test(text)) return { kind: 'user', userId: Number(text) };
  return Object.hasOwn(activityNames.actors, text) ? ({ kind: text } as Who) : undefined;
}

function selectionIn({ zone, request }: MemberVisit) {
  const fields = request.query;
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name].trim() : '');
  const query = queryIn(kind, request);
  const { search, filter } = query;
  const who = whoIn(text('who'));
  const [from, to] = [text('from'), text('to')];
  const [since, until] = [dayIn(from, zone)?.since, dayIn(to, zone)?.until];
  return {
    query,
    /** The id of a user or the kind of another actor, and days as typed. Empty: not narrowed. */
    narrowing: { who: who === undefined ? '' : text('who'), from, to },
    selection: { who, kind: filter, since, until, search, names: activityNames },
    /** Of days that are none. They are not part of the selection. */
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

type Choice = ReturnType<typeof choiceOf>;

/** As many owners, and as many admins, as can be chosen from the list. Others are chosen by their name in an entry. */
const MAX_CHOICES = 25;

/** The people who manage the organization, and the chosen one. */
async function peopleOf({ core, organization }: MemberVisit, who: string): Promise<readonly Choice[]> {
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

function choiceOf(user: NonNullable<AuditEntry['user']>) {
  return { value: String(user.id), text: nameOf(user) };
}

export function activityTable(zone: TimeZone) {
  const columns: readonly Column<AuditEntry>[] = [
    { title: 'When', cell: ({ at }) => <Timestamp at={at} zone={zone} />, isShort: true },
    { title: 'Who', cell: Actor },
    { title: 'What', cell: What },
    { title: 'IP address', cell: ({ actor }) => actor.from ?? '–', isShort: true },
  ];
  return { caption: 'Who did what, newest first', columns };
}

export function NoActivity() {
  return (
    <Empty next={{ href: paths.guide, text: 'Read the guide' }}>
      No activity yet. Changes by owners, admins and programs will be listed here.
    </Empty>
  );
}

function What(entry: AuditEntry) {
  const { what, details } = entryTexts(entry);
  const path = objectPath(entry);
  const { about } = entry;
  return (
    <Stack>
      {path === null ? <span>{what}</span> : <a href={path}>{what}</a>}
      {about !== null && <bdi class="secondary-text">{nameOf(about)}</bdi>}
      {details !== null && <bdi class="secondary-text">{details}</bdi>}
    </Stack>
  );
}

/** The name leads to what the person did. */
function Actor({ organizationId, actor, user }: AuditEntry) {
  if (user === null) return <>{actorLabels[actor.who.kind]}</>;
  return (
    <Stack>
      <NameLink to={withQuery(paths.activity(organizationId), { who: String(user.id) })} of={user} />
      <bdi class="secondary-text">{user.email}</bdi>
    </Stack>
  );
}
