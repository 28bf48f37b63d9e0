import type { AuditAction, EventName, PersonKey, User } from '@rollcall/core';
import { emailForms, mentionsAddress, readEmailChange } from '@rollcall/core/adapters';
import { type Database, inLists, type Sql, type SqlValue } from '../engine/database.js';
import { oneOf, stored, storedIn, text, textOrNull, time, whole, wholeOrNull } from '../engine/stored.js';
import { storedUser } from '../stores/user-row.js';
import { contains, inJson, overlap, type SearchResult, search } from './search.js';

/** The account, with what a user leaves out. */
const storedAccount = stored(
  `${storedUser.columns}, users.password_hash IS NOT NULL AS has_password`,
  (row) => ({ ...storedUser.read(row), hasPassword: Boolean(row.has_password) }),
);

/** The id of no user. 0 stands for people who were erased. */
export const NOBODY = -1;

/** What identifies a person in other rows. */
export interface Person {
  readonly account: (User & { readonly hasPassword: boolean }) | null;
  /** Each address that the person has or had, the current one first. */
  readonly emails: readonly [string, ...string[]];
  /** The UUIDs under which the person is known. */
  readonly uuids: readonly string[];
  readonly invitationIds: readonly string[];
}

/** Finds the person. Null: there is neither an account nor an invitation, nor an address to search for. */
export async function findPerson(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  key: PersonKey,
): Promise<Person | null> {
  const email = 'email' in key ? key.email : await emailOfUuid(read, key.uuid);
  if (email === null) return null;
  const account = await accountOf(read, email);
  const memberships = await read.all<{ uuid: string }>('SELECT uuid FROM memberships WHERE user_id = ?', [
    account?.id ?? NOBODY,
  ]);
  const own = account === null ? [] : [account.uuid, ...memberships.map(({ uuid }) => uuid)];
  const earlier = [
    ...(await earlierAddresses({ engine, read }, email)),
    ...(await invitationsOf(read, { emails: [email], uuids: own })).map((invitation) => invitation.email),
  ];
  const free = await withoutUsers(read, earlier);
  const emails = [email, ...new Set(free.filter((one) => one !== email))] as const;
  const invitations = await invitationsOf(read, { emails, uuids: own });
  return {
    account,
    emails,
    uuids: [...new Set([...own, ...invitations.map(({ userUuid }) => userUuid)])],
    invitationIds: invitations.map(({ id }) => id),
  };
}

export function accountOf(sql: Sql, email: string): Promise<Person['account']> {
  return storedAccount.first(sql, 'FROM users WHERE email = ?', [email]);
}

async function emailOfUuid(sql: Sql, uuid: string): Promise<string | null> {
  const texts = [
    'SELECT email FROM users WHERE uuid = ?',
    'SELECT users.email FROM memberships JOIN users ON users.id = memberships.user_id WHERE memberships.uuid = ?',
    'SELECT email FROM invitations WHERE user_uuid = ?',
  ];
  for (const text of texts) {
    const row = await sql.get<{ email: string }>(text, [uuid]);
    if (row !== undefined) return row.email;
  }
  return null;
}

const invited = storedIn('invitations', { id: text, email: text, userUuid: text });

type Invited = ReturnType<typeof invited.read>;

/** The invitations to these addresses, and those that these UUIDs were given with. */
export async function invitationsOf(
  sql: Sql,
  { emails, uuids }: Pick<Person, 'emails' | 'uuids'>,
): Promise<readonly Invited[]> {
  const found = new Map<string, Invited>();
  const add = async (condition: string, values: readonly SqlValue[]): Promise<void> => {
    const all = await invited.all(sql, `FROM invitations WHERE ${condition} ORDER BY created_at, id`, values);
    for (const one of all) found.set(one.id, one);
  };
  for (const email of emails) await add('email = ?', [email]);
  for (const list of inLists(uuids)) await add(`user_uuid IN (${list.placeholders})`, list.values);
  return [...found.values()];
}

/** The addresses that the audit trails know as earlier ones, the latest first. */
async function earlierAddresses(
  { read }: Pick<Database, 'engine' | 'read'>,
  email: string,
): Promise<readonly string[]> {
  const { rows } = await search(read, storedIn('audit_entries', { subject: text }), {
    ...{ table: 'audit_entries', key: 'id' },
    ...{ condition: "action = 'email-changed' AND subject IS NOT NULL", values: [] },
  });
  const changes = rows.map(({ subject }) => readEmailChange(subject));
  const addresses = [email];
  for (const address of addresses)
    for (const change of changes)
      if (change?.to === address && !addresses.includes(change.from)) addresses.push(change.from);
  return addresses.slice(1);
}

/** Leaves out the addresses of users. */
async function withoutUsers(sql: Sql, emails: readonly string[]): Promise<readonly string[]> {
  const taken = new Set<string>();
  for (const list of inLists(emails)) {
    const rows = await sql.all<{ email: string }>(
      `SELECT email FROM users WHERE email IN (${list.placeholders})`,
      list.values,
    );
    for (const row of rows) taken.add(row.email);
  }
  return emails.filter((email) => !taken.has(email));
}

// ── Rows that name the person ──────────────────────────────────────────────────────────────────────────────

/** `row` is the id of the row. */
const eventIn = (table: 'events' | 'deliveries') =>
  storedIn(
    table,
    { row: whole, organizationId: whole, id: text, name: oneOf<EventName>(), body: text, createdAt: time },
    { names: { row: 'id', id: 'event_id', name: 'event_name' } },
  );

const entry = storedIn('audit_entries', {
  ...{ id: whole, organizationId: whole, at: time, userId: wholeOrNull, fromAddress: textOrNull },
  ...{ action: oneOf<AuditAction>(), subject: textOrNull },
});

const attempt = storedIn('attempts', { deliveryId: whole, number: whole, response: text });

type Event = ReturnType<ReturnType<typeof eventIn>['read']>;

/** Rows of the tables that have no index for a person. */
export interface Traces {
  readonly entries: SearchResult<ReturnType<typeof entry.read>>;
  readonly events: SearchResult<Event>;
  readonly deliveries: SearchResult<Event>;
  /** Attempts whose response names an address of the person. */
  readonly attempts: SearchResult<ReturnType<typeof attempt.read>>;
}

/** Searches all tables, or only the rows since an earlier search. */
export async function findTraces(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  person: Person,
  since?: Traces,
): Promise<Traces> {
  const { account, emails, uuids } = person;
  const userId = account?.id ?? NOBODY;
  const after = (part: keyof Traces): number | null => (since === undefined ? null : overlap(since[part]));
  const lower = emailForms(emails).map((email) => email.toLowerCase());
  const entries = await search(read, entry, {
    ...{ table: 'audit_entries', key: 'id', after: after('entries') },
    condition: `user_id = ? OR ${contains(engine, 'lower(subject)', lower)}`,
    values: [userId, ...lower],
  });
  const attempts = await search(read, attempt, {
    ...{ table: 'attempts', key: 'delivery_id', after: after('attempts') },
    condition: contains(engine, 'lower(response)', lower.map(inJson)),
    values: lower.map(inJson),
  });
  const isOneOf = (column: string, values: readonly string[]): string =>
    inLists(values)
      .map((list) => `${column} IN (${list.placeholders})`)
      .join(' OR ') || 'false';
  const listed = (values: readonly string[]): readonly SqlValue[] =>
    inLists(values).flatMap((list) => list.values);
  const about = (table: 'events' | 'deliveries'): Promise<SearchResult<Event>> =>
    search(read, eventIn(table), {
      ...{ table, key: 'id', after: after(table) },
      // An address can have belonged to another user before.
      condition: `user_id = ? OR ${isOneOf('user_uuid', uuids)} OR (${isOneOf('user_email', emails)})
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = ${table}.user_id)`,
      values: [userId, ...listed(uuids), ...listed(emails)],
    });
  return {
    entries: {
      ...entries,
      rows: entries.rows.filter(
        ({ userId: by, subject }) => by === userId || mentionsAddress(subject ?? '', emails),
      ),
    },
    attempts: {
      ...attempts,
      rows: attempts.rows.filter(({ response }) => mentionsAddress(response, emails.map(inJson))),
    },
    events: await about('events'),
    deliveries: await about('deliveries'),
  };
}

/** Adds the rows that a second search has found, each once. */
export function merged(first: Traces, second: Traces): Traces {
  const merge = <Row>(of: (traces: Traces) => SearchResult<Row>, keyOf: (row: Row) => string) => ({
    rows: [
      ...new Map([...of(first).rows, ...of(second).rows].map((row) => [keyOf(row), row] as const)).values(),
    ],
    until: of(second).until,
  });
  const rowOf = ({ row }: Event): string => String(row);
  return {
    entries: merge(
      ({ entries }) => entries,
      ({ id }) => String(id),
    ),
    events: merge(({ events }) => events, rowOf),
    deliveries: merge(({ deliveries }) => deliveries, rowOf),
    attempts: merge(
      ({ attempts }) => attempts,
      ({ deliveryId, number }) => `${deliveryId} ${number}`,
    ),
  };
}
