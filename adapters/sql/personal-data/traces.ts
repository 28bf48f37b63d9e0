import type { AuditAction, EventName } from '@rollcall/core';
import { emailForms, mentionsAddress } from '@rollcall/core/adapters';
import type { Database } from '../engine/database.js';
import { inLists, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { oneOf, storedIn } from '../engine/stored.js';
import { NOBODY, type Person } from './find-person.js';
import { anyOf, contains, inJson, overlap, type SearchResult, search } from './search.js';

/** `row` is the id of the row. */
const eventIn = (table: 'events' | 'deliveries') =>
  storedIn(table, {
    ...{ row: ['id', 'whole'], organizationId: 'whole', id: ['event_id', 'text'] },
    ...{ name: ['event_name', oneOf<EventName>()], body: 'text', createdAt: 'time' },
  });

const entry = storedIn('audit_entries', {
  ...{ id: 'whole', organizationId: 'whole', at: 'time', userId: 'wholeOrNull', fromAddress: 'textOrNull' },
  ...{ action: oneOf<AuditAction>(), subject: 'textOrNull', aboutUserId: 'wholeOrNull' },
});

const attempt = storedIn('attempts', { deliveryId: 'whole', number: 'whole', response: 'text' });

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
    condition: SQL`user_id = ${userId} OR about_user_id = ${userId}
      OR ${contains(engine, 'lower(subject)', lower)}`,
  });
  const attempts = await search(read, attempt, {
    ...{ table: 'attempts', key: 'delivery_id', after: after('attempts') },
    condition: contains(engine, 'lower(response)', lower.map(inJson)),
  });
  const isOneOf = (column: string, values: readonly string[]): SqlText =>
    anyOf(inLists(values).map((list) => SQL`${raw(column)} IN (${list})`));
  const about = (table: 'events' | 'deliveries'): Promise<SearchResult<Event>> =>
    search(read, eventIn(table), {
      ...{ table, key: 'id', after: after(table) },
      // An address can have belonged to another user before.
      condition: SQL`user_id = ${userId} OR ${isOneOf('user_uuid', uuids)} OR (${isOneOf('user_email', emails)})
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = ${raw(table)}.user_id)`,
    });
  return {
    entries: {
      ...entries,
      rows: entries.rows.filter(
        ({ userId: by, aboutUserId, subject }) =>
          by === userId || aboutUserId === userId || mentionsAddress(subject ?? '', emails),
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
  const merge = <Row>(one: SearchResult<Row>, other: SearchResult<Row>, keyOf: (row: Row) => unknown) => ({
    rows: [...new Map([...one.rows, ...other.rows].map((row) => [keyOf(row), row] as const)).values()],
    until: other.until,
  });
  const rowOf = ({ row }: Event): number => row;
  return {
    entries: merge(first.entries, second.entries, ({ id }) => id),
    events: merge(first.events, second.events, rowOf),
    deliveries: merge(first.deliveries, second.deliveries, rowOf),
    attempts: merge(first.attempts, second.attempts, ({ deliveryId, number }) => `${deliveryId} ${number}`),
  };
}
