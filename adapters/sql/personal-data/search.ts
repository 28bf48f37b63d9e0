import type { Engine, Sql } from '../engine/database.js';
import { joinTexts, raw, SQL, type SqlText } from '../engine/sql-text.js';
import type { Stored } from '../engine/stored.js';

/** The rows that one statement searches. */
const STEP = 20_000;

export interface Searched {
  readonly table: 'audit_entries' | 'events' | 'deliveries' | 'attempts';
  /** The column that orders the rows. It grows with time. */
  readonly key: 'id' | 'delivery_id';
  readonly condition: SqlText;
}

/** The rows that were found, and up to which key. */
export interface SearchResult<Row> {
  readonly rows: readonly Row[];
  readonly until: number;
}

/**
 * Searches a table that has no index for a person, in steps, so that no statement takes long. `after`: the rows up to
 * this key are left out.
 */
export async function search<Row>(
  sql: Sql,
  row: Stored<Row>,
  { table, key, condition, after = null }: Searched & { readonly after?: number | null },
): Promise<SearchResult<Row>> {
  const ends = await sql.get<{ first: number | null; last: number | null }>(
    `SELECT min(${key}) AS first, max(${key}) AS last FROM ${table}`,
  );
  const last = ends?.last ?? 0;
  const rows: Row[] = [];
  for (let from = Math.max((ends?.first ?? 1) - 1, after ?? 0); from < last; from += STEP) {
    const found = await row.all(sql)`FROM ${raw(table)}
      WHERE ${raw(key)} > ${from} AND ${raw(key)} <= ${from + STEP} AND (${condition}) ORDER BY ${raw(key)}`;
    rows.push(...found);
  }
  return { rows, until: last };
}

/**
 * Where a second search begins, in the transaction that no other one about the person can outlive. Transactions commit in
 * another order than their keys were assigned, so it begins before the end of the first one.
 */
export function overlap({ until }: Pick<SearchResult<unknown>, 'until'>): number {
  return Math.max(until - STEP, 0);
}

/** A condition that is true where the column contains one of the texts. */
export function contains(engine: Engine, column: string, texts: readonly string[]): SqlText {
  const name = raw(engine === 'postgres' ? 'strpos' : 'instr');
  return anyOf(texts.map((text) => SQL`${name}(${raw(column)}, ${text}) > 0`));
}

/** False if there is no condition. */
export function anyOf(conditions: readonly SqlText[]): SqlText {
  return conditions.length === 0 ? raw('false') : joinTexts(conditions, ' OR ');
}

/** The text as it is in a JSON text. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
