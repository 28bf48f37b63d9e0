import { csvHeading } from './csv.js';

/** How many rows each chunk has. One read sorts the whole organization, so there should be few. */
export const ROWS_PER_CHUNK = 1000;

/**
 * A CSV file of rows that are read chunk by chunk, with its heading. `first`: the rows that were read already. Both are read
 * with the limit `ROWS_PER_CHUNK`: a chunk with fewer rows is the last one.
 */
export async function* csvChunks<Row>(
  labels: readonly string[],
  first: readonly Row[],
  {
    linesOf,
    readAfter,
  }: {
    readonly linesOf: (rows: readonly Row[]) => string | Promise<string>;
    readonly readAfter: (last: Row) => Promise<readonly Row[]>;
  },
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(csvHeading(labels) + (await linesOf(first)));
  let last = lastOfFull(first);
  while (last !== undefined) {
    const found = await readAfter(last);
    yield encoder.encode(await linesOf(found));
    last = lastOfFull(found);
  }
}

/** The last row if others may follow. */
function lastOfFull<Row>(rows: readonly Row[]): Row | undefined {
  return rows.length < ROWS_PER_CHUNK ? undefined : rows.at(-1);
}
