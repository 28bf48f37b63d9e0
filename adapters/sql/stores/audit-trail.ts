import type {
  AuditAction,
  AuditEntry,
  AuditFilters,
  AuditTrail,
  NamedUser,
  NewAuditEntry,
  Who,
} from '@rollcall/core';
import type { Database, Engine, Sql } from '../engine/database.js';
import { allOf, joinTexts, listOf, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { countOf, readLists, select, selectOne, selectOnly } from '../engine/statements.js';
import { oneOf, stored, storedIn } from '../engine/stored.js';
import { containsWords } from './text-search.js';

const fields = storedIn('entries', {
  ...{ id: 'whole', organizationId: 'whole', at: 'time', who: oneOf<Who['kind']>(), userId: 'wholeOrNull' },
  ...{ fromAddress: 'textOrNull', action: oneOf<AuditAction>(), subject: 'textOrNull' },
  objectId: 'textOrNull',
});

export function sqlAuditTrail({ engine, readAside, write }: Database): AuditTrail {
  return {
    async record(entry) {
      await write((sql) => insertEntry(sql, entry));
    },

    async list({ organizationId, offset, limit, ...filters }) {
      const read = readAside(organizationId);
      const query = { organizationId, ...filters };
      if (isSearch(filters)) return search(engine, read, { query, offset, limit });
      const found = conditionsFor(query);
      return {
        entries: await storedEntry.all(read)`
          ${joined} WHERE ${found} ${order} LIMIT ${limit} OFFSET ${offset}`,
        total: await countOf(read)`FROM audit_entries AS entries WHERE ${found}`,
      };
    },

    async listAfter({ limit, ...query }) {
      const read = readAside(query.organizationId);
      if (isSearch(query)) return (await search(engine, read, { query, offset: 0, limit })).entries;
      return storedEntry.all(read)`${joined} WHERE ${conditionsFor(query)} ${order} LIMIT ${limit}`;
    },

    lastOf({ organizationId, userId, actions }) {
      const who = userId === undefined ? undefined : ({ kind: 'user', userId } as const);
      const found = conditionsFor({ organizationId, who, actions });
      return storedAction.first(readAside(organizationId))`FROM audit_entries AS entries
        WHERE ${found} ${order} LIMIT 1`;
    },
  };
}

const storedAction = storedIn('entries', { action: oneOf<AuditAction>(), at: 'time' });

/** The people who did it, and the members whom it concerns. */
const joined = SQL`FROM audit_entries AS entries
  LEFT JOIN users ON users.id = entries.user_id
  LEFT JOIN memberships AS concerned ON concerned.organization_id = entries.organization_id
    AND concerned.user_id = entries.about_user_id
  LEFT JOIN users AS about ON about.id = concerned.user_id`;

const order = raw('ORDER BY entries.at DESC, entries.id DESC');

interface Query extends AuditFilters {
  readonly organizationId: number;
  readonly after?: Pick<AuditEntry, 'at' | 'id'> | null;
}

/** Without the words. */
function conditionsFor({ organizationId, who, actions, since, until, after = null }: Query): SqlText {
  return allOf(
    SQL`entries.organization_id = ${organizationId}`,
    who !== undefined && SQL`entries.who = ${who.kind}`,
    who?.kind === 'user' && SQL`entries.user_id = ${who.userId}`,
    actions !== undefined && SQL`entries.action IN (${listOf(actions)})`,
    since !== undefined && SQL`entries.at >= ${since}`,
    until !== undefined && SQL`entries.at < ${until}`,
    after !== null && SQL`(entries.at, entries.id) < (${after.at}, ${after.id})`,
  );
}

function isSearch({ words }: AuditFilters): boolean {
  return words !== undefined && words.length > 0;
}

interface Search {
  readonly query: Query;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Compares the words with each entry once, and counts meanwhile. The members with a word in their name or address are found
 * first, because the entries are more.
 */
async function search(engine: Engine, read: Sql, { query, offset, limit }: Search) {
  const { organizationId, words = [] } = query;
  const people = words.map(({ text: word }, index) => {
    const named = allOf(
      SQL`memberships.organization_id = ${organizationId}`,
      containsWords(engine, name, [word]),
    );
    return SQL`people_${raw(index)} AS (SELECT memberships.user_id FROM memberships
        JOIN users ON users.id = memberships.user_id WHERE ${named})`;
  });
  const matching = words.map(({ text: word, actions, actors }, index) => {
    const found = SQL`(SELECT user_id FROM people_${raw(index)})`;
    return SQL`(entries.user_id IN ${found} OR entries.about_user_id IN ${found}
        OR ${allOf(containsWords(engine, texts, [word]))}
        OR ${isOneOf('entries.action', actions)} OR ${isOneOf('entries.who', actors)})`;
  });
  const found = (columns: string): SqlText => SQL`WITH ${joinTexts(people, ', ')}
    SELECT ${raw(columns)} FROM audit_entries AS entries WHERE ${allOf(conditionsFor(query), ...matching)}`;
  const counted = found('entries.id, count(*) OVER () AS total');
  const rows = await select<{ readonly id: number; readonly total: number }>(read)`${counted} ${order}
    LIMIT ${limit} OFFSET ${offset}`;
  const ids = rows.map(({ id }) => id);
  const ofPage = (list: SqlText) => storedEntry.all(read)`${joined} WHERE entries.id IN (${list}) ${order}`;
  const isPastEnd = rows.length === 0 && offset > 0;
  const first = isPastEnd ? await selectOne<{ total: number }>(read)(found('count(*) AS total')) : rows[0];
  return { total: first?.total ?? 0, entries: await readLists(ids, ofPage) };
}

/** Takes the names as one value, with a space around each, so that a statement is the same for any number of them. */
function isOneOf(column: string, names: readonly string[]): SqlText {
  return SQL`CAST(${` ${names.join(' ')} `} AS text) LIKE '% ' || ${raw(column)} || ' %'`;
}

const name = "users.first_name || ' ' || users.last_name || ' ' || users.email";

/** Without the arrow between two values, because texts of ASCII are compared faster. */
const texts =
  "replace(coalesce(entries.subject, ''), ' → ', ' ') || ' ' || coalesce(entries.from_address, '')";

/** Stores the entry in the transaction of its action. Returns its id. */
export async function insertEntry(
  sql: Sql,
  { organizationId, at, actor, action, subject, aboutUserId = null, objectId = null }: NewAuditEntry,
): Promise<number> {
  const { id } = await selectOnly<{ id: number }>(sql)`INSERT INTO audit_entries
      (organization_id, at, who, user_id, from_address, action, subject, about_user_id, object_id)
    VALUES (${organizationId}, ${at}, ${listOf(whoValues(actor.who))}, ${actor.from}, ${action}, ${subject},
      ${aboutUserId}, ${objectId})
    RETURNING id`;
  return id;
}

/** From its two columns. */
export function toWho(kind: Who['kind'], userId: number | null): Who {
  if (kind !== 'user') return { kind };
  if (userId === null) throw new Error('a user did something, and it is not said which');
  return { kind, userId };
}

export function whoValues(who: Who): readonly [Who['kind'], number | null] {
  return [who.kind, who.kind === 'user' ? who.userId : null];
}

/** A user that a row of another table refers to. Null when it refers to none. */
function namedUserIn(table: string, prefix: string) {
  const namedFields = storedIn(
    { table, prefix },
    { id: 'wholeOrNull', email: 'text', firstName: 'text', lastName: 'text' },
  );
  return stored<NamedUser | null>(namedFields.columns, (row) => {
    const { id, ...named } = namedFields.read(row);
    return id === null ? null : { id, ...named };
  });
}

export const storedNamedUser = namedUserIn('users', 'named_');
const storedAbout = namedUserIn('about', 'about_');

const storedEntry = stored<AuditEntry>(
  [fields, storedNamedUser, storedAbout].map(({ columns }) => columns).join(', '),
  (row) => {
    const { who, userId, fromAddress: from, ...entry } = fields.read(row);
    const users = { user: storedNamedUser.read(row), about: storedAbout.read(row) };
    return { ...entry, ...users, actor: { who: toWho(who, userId), from } };
  },
);
