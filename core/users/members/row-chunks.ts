/** How many rows each chunk has. One read sorts the whole organization, so there should be few. */
export const ROWS_PER_CHUNK = 1000;

/** The last row if others may follow. */
export function lastOfFull<Row>(rows: readonly Row[]): Row | undefined {
  return rows.length < ROWS_PER_CHUNK ? undefined : rows.at(-1);
}
