import { type LoadedColumns, marks, type Sql, type SqlValue } from './database.js';

/** Rows that one statement inserts: more make it no faster. */
const ROWS_AT_ONCE = 50;

/** Stores rows by INSERT: one row's values after the other's, each in the order of the columns. */
export async function insertMany(
  sql: Sql,
  { table, columns }: LoadedColumns,
  values: readonly SqlValue[],
): Promise<void> {
  const row = `(${marks(columns.length)})`;
  const insert = (rows: number): string =>
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
  const many = ROWS_AT_ONCE * columns.length;
  const [insertMany, insertOne] = [insert(ROWS_AT_ONCE), insert(1)];
  let start = 0;
  for (; start + many <= values.length; start += many) {
    await sql.run(insertMany, values.slice(start, start + many));
  }
  for (; start < values.length; start += columns.length) {
    await sql.run(insertOne, values.slice(start, start + columns.length));
  }
}
