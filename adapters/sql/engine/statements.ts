import { type Database, type EngineSql, only, type Sql, type SqlValue } from './database.js';
import { inLists, SQL, type SqlText, type Template } from './sql-text.js';

/** A tag for the text of one statement, which also takes one that has been made. */
export type Tag<Answer> = (...template: Template) => Promise<Answer>;

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

/** The row of a statement that always returns one. */
export function selectOnly<Row>(sql: Pick<Sql, 'all'>): Tag<Row> {
  return async (...template) => only(await sql.all<Row>(...SQL(...template).args));
}

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

/** All rows that `read` finds for the lists. */
export async function readLists<Row>(
  values: readonly SqlValue[],
  read: (list: SqlText) => Promise<readonly Row[]>,
) {
  const rows: Row[] = [];
  for (const list of inLists(values)) rows.push(...(await read(list)));
  return rows as readonly Row[];
}

/** The number of rows with the chosen key, or of all. */
export function totalOf<Key extends string>(counts: Readonly<Record<Key, number>>, chosen?: Key): number {
  if (chosen !== undefined) return counts[chosen];
  return Object.values<number>(counts).reduce((sum, count) => sum + count, 0);
}
