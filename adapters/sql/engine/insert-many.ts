import { type LoadedColumns, marks, type Sql, type SqlValue } from './database.js';

/** Rows that one statement inserts: more make it no faster. */
const ROWS_AT_ONCE = 50;

export interface InsertedColumns extends LoadedColumns {
  /** What becomes of a row whose key is there already; left out: an error. */
  readonly verb?: 'INSERT OR REPLACE';
}

/** Stores rows by INSERT: one row's values after the other's, each in the order of the columns. */
export async function insertMany(
  sql: Sql,
  { table, columns, verb }: InsertedColumns,
  values: readonly SqlValue[],
): Promise<void> {
  const row = `(${marks(columns.length)})`;
  const insert = (rows: number): string =>
    `${verb ?? 'INSERT'} INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
  const [many, one] = [insert(ROWS_AT_ONCE), insert(1)];
  const part = ROWS_AT_ONCE * columns.length;
  let start = 0;
  for (; start + part <= values.length; start += part) await sql.run(many, values.slice(start, start + part));
  for (; start < values.length; start += columns.length) {
    await sql.run(one, values.slice(start, start + columns.length));
  }
}
