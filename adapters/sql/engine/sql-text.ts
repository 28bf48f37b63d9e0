import { type Database, type EngineSql, placeholders, type Sql, type SqlValue } from './database.js';

/**
 * A statement, or a part of one, and the values of its parameters. A class, so that no list that comes from outside is taken
 * for one, whatever its types say.
 */
export class SqlText {
  readonly text: string;
  readonly values: readonly SqlValue[];

  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text;
    this.values = values;
  }

  /** As statements are run. */
  get args(): readonly [text: string, values: readonly SqlValue[]] {
    return [this.text, this.values];
  }
}

/** A text becomes a part of the statement. Everything else is a value, for which the statement has a parameter. */
type Part = SqlText | SqlValue;

/** A template, or a statement that has been made. */
type Template = readonly [texts: TemplateStringsArray, ...parts: readonly Part[]] | readonly [made: SqlText];

/** A tag for the text of one statement, which also takes one that has been made. */
export type Tag<Answer> = (...template: Template) => Promise<Answer>;

/** The latest text of each template: mostly the same string again, which its prepared statement is found by faster. */
const latest = new WeakMap<
  TemplateStringsArray,
  { readonly given: readonly string[]; readonly text: string }
>();

/** A statement, or a part of one, with the values where their parameters are. */
export function SQL(...[texts, ...parts]: Template): SqlText {
  if (texts instanceof SqlText) return texts;
  const given = parts.map((part) => (part instanceof SqlText ? part.text : '?'));
  let found = latest.get(texts);
  if (found === undefined || !given.every((text, index) => text === found?.given[index])) {
    found = { given, text: texts.map((text, index) => text + (given[index] ?? '')).join('') };
    latest.set(texts, found);
  }
  const values = parts.flatMap((part) => (part instanceof SqlText ? part.values : [part]));
  return new SqlText(found.text, values);
}

/** A part of a statement that has no values. Nothing that comes from outside may be in it. */
export function raw(text: string | number | bigint): SqlText {
  return new SqlText(String(text), []);
}

/** The values of an `IN (…)`, or of other columns side by side. */
export function listOf(values: readonly SqlValue[]): SqlText {
  return new SqlText(placeholders(values.length), values);
}

export function joinTexts(texts: readonly SqlText[], separator: string): SqlText {
  return new SqlText(
    texts.map(({ text }) => text).join(separator),
    texts.flatMap(({ values }) => values),
  );
}

/** False: it is not asked for. */
export type Condition = SqlText | false;

/** All conditions that are asked for. */
export function allOf(...conditions: readonly Condition[]): SqlText {
  return joinTexts(
    conditions.filter((condition) => condition !== false),
    ' AND ',
  );
}

/** The same behind other conditions. Empty if nothing is asked for. */
export function andAllOf(...conditions: readonly Condition[]): SqlText {
  const all = allOf(...conditions);
  return all.text === '' ? all : SQL` AND ${all}`;
}

/** Runs a statement. */
export function execute(sql: Pick<Sql, 'run'>): Tag<{ readonly changes: number }> {
  return (...template) => sql.run(...SQL(...template).args);
}

/** Runs a statement, and returns whether it has changed one row. */
export function changesOne(sql: Sql): Tag<boolean> {
  const run = execute(sql);
  return async (...template) => (await run(...template)).changes === 1;
}

/** Runs a statement in a transaction of its own, and returns whether it has changed one row. */
export function writeOne(write: Database['write']): Tag<boolean> {
  return (...template) => write((sql) => changesOne(sql)(...template));
}

/** Runs a statement in a transaction of its own that need not reach the standbys. */
export function writeMinor(write: Database['write']): Tag<void> {
  return async (...template) => void (await write((sql) => execute(sql)(...template), { isMinor: true }));
}

/** All rows, also of a statement with RETURNING. */
export function select<Row>(sql: Sql): Tag<readonly Row[]> {
  return (...template) => sql.all<Row>(...SQL(...template).args);
}

/** The first row. */
export function selectOne<Row>(sql: Sql): Tag<Row | undefined> {
  return (...template) => sql.get<Row>(...SQL(...template).args);
}

/** Runs a statement that only locks, until the end of the transaction. SQLite has one writer anyway. */
export function lock({ engine, run }: EngineSql): Tag<void> {
  return async (...template) => {
    if (engine === 'postgres') await execute({ run })(...template);
  };
}

/** Whether a SELECT finds a row. The text follows its columns. */
export function exists(sql: Sql): Tag<boolean> {
  return async (...template) => {
    const { text, values } = SQL(...template);
    return (await sql.get(`SELECT 1 ${text}`, values)) !== undefined;
  };
}

/** The number of rows that a SELECT finds. The text follows its columns. */
export function countOf(sql: Sql): Tag<number> {
  return async (...template) => {
    const { text, values } = SQL(...template);
    return (await sql.get<{ count: number }>(`SELECT count(*) AS count ${text}`, values))?.count ?? 0;
  };
}

/** How many rows meet each condition. The text follows the columns of the SELECT. */
export function countsOf<Key extends string>(
  sql: Sql,
  conditions: Readonly<Record<Key, string>>,
): Tag<Readonly<Record<Key, number>>> {
  const counts = (Object.entries(conditions) as [Key, string][]).map(
    ([key, condition]) => `count(*) FILTER (WHERE ${condition}) AS ${key}`,
  );
  return async (...template) => {
    const { text, values } = SQL(...template);
    const row = await sql.get<Record<Key, number>>(`SELECT ${counts.join(', ')} ${text}`, values);
    return { ...(row as Record<Key, number>) };
  };
}

/** The number of rows with the chosen key, or of all. */
export function totalOf<Key extends string>(counts: Readonly<Record<Key, number>>, chosen?: Key): number {
  if (chosen !== undefined) return counts[chosen];
  return Object.values<number>(counts).reduce((sum, count) => sum + count, 0);
}

const LIST_SIZES = [1, 5, 10, 25, 50, 100] as const;

/**
 * Splits values into lists for `IN (…)`. The lists have few different lengths, so that few statements are prepared. The
 * last list is padded with nulls, which match nothing.
 */
export function inLists(values: readonly SqlValue[]): readonly SqlText[] {
  const lists: SqlText[] = [];
  for (let start = 0; start < values.length; start += 100) {
    const part = values.slice(start, start + 100);
    const size = LIST_SIZES.find((size) => size >= part.length) ?? part.length;
    while (part.length < size) part.push(null);
    lists.push(listOf(part));
  }
  return lists;
}
