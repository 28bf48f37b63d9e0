import { type LoadedColumns, placeholders, type Sql, type SqlValue } from './database.js';

/** Rows that one statement inserts. More would not be faster. */
const ROWS_AT_ONCE = 50;

export interface InsertedColumns extends LoadedColumns {
  /** How to handle a row whose key exists. Without a verb that is an error. */
  readonly verb?: 'INSERT OR REPLACE';
}

/**
 * Prepares to store rows by INSERT. The function that it returns takes the values of one row after another, each row in the
 * order of the columns.
 */
export function inserting(
  sql: Sql,
  { table, columns, verb }: InsertedColumns,
): (values: readonly SqlValue[]) => Promise<void> {
  const row = `(${placeholders(columns.length)})`;
  const insert = (rows: number): string =>
    `${verb ?? 'INSERT'} INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
  const [many, one] = [insert(ROWS_AT_ONCE), insert(1)];
  const part = ROWS_AT_ONCE * columns.length;
  return async (values) => {
    let start = 0;
    for (; start + part <= values.length; start += part)
      await sql.run(many, values.slice(start, start + part));
    for (; start < values.length; start += columns.length)
      await sql.run(one, values.slice(start, start + columns.length));
  };
}
