import type { Bulk, Engine, LoadedColumns, SqlValue } from '../engine/database.js';
import { inserting } from '../engine/insert-many.js';
import type { DatasetItem, DatasetRecord } from './dataset.js';
import { importTimestamp, kinds, stagedColumns } from './staged-kinds.js';

/** More rows would not be faster on SQLite. With PostgreSQL each statement costs a round trip, and waiting rows cost memory. */
const ROWS_PER_STATEMENT: Record<Engine, number> = { sqlite: 50, postgres: 250 };

/** Rows of a staging table that are to be stored. */
interface Rows {
  /** The number of values that are stored at once. */
  readonly full: number;
  readonly store: (values: readonly SqlValue[]) => Promise<void>;
  /** The values of one row after another. */
  values: SqlValue[];
}

/** Stores every record in the staging table of its kind. The last record of a key replaces earlier ones. */
export async function stageRecords(
  bulk: Bulk,
  source: AsyncIterable<readonly DatasetItem[]>,
  at: Date,
): Promise<void> {
  const rowsOf = (table: string, columns: readonly string[]): Rows => ({
    full: ROWS_PER_STATEMENT[bulk.engine] * columns.length,
    store: storing[bulk.engine](bulk, { table, columns }),
    values: [],
  });
  const tables = new Map(
    Object.entries(kinds).map(([kind, own]) => [kind, rowsOf(`staged_${own.table}`, stagedColumns(own))]),
  );
  const ties = rowsOf('staged_ties', ['meeting_id', 'organization_id', 'line']);
  const tied = rowsOf('staged_tied', ['meeting_id', 'line']);
  const registrants = rowsOf('staged_registrants', ['organization_id', 'user_id', 'line']);
  const isFull = ({ full, values }: Rows): boolean => values.length === full;
  let stored = Promise.resolve();
  /** Begins to store the rows, while the caller prepares the next ones. Throws the error of those before. */
  const write = async (rows: Rows): Promise<void> => {
    const { values } = rows;
    rows.values = [];
    await stored;
    stored = rows.store(values);
    stored.catch(() => undefined);
  };

  try {
    for await (const items of source) {
      for (const { line, record } of items) {
        const rows = tables.get(record.kind);
        if (rows !== undefined) {
          pushRow(rows.values, { record, line, at });
          if (isFull(rows)) await write(rows);
        }
        if (record.kind === 'membership' && !record.deleted && record.registered === true) {
          registrants.values.push(record.organization_id, record.user_id, line);
          if (isFull(registrants)) await write(registrants);
        }
        if (record.kind === 'meeting' && !record.deleted && record.eap_organization_ids !== undefined) {
          tied.values.push(record.id, line);
          if (isFull(tied)) await write(tied);
          for (const id of record.eap_organization_ids) {
            ties.values.push(record.id, id, line);
            if (isFull(ties)) await write(ties);
          }
        }
      }
    }
    for (const rows of [...tables.values(), ties, tied, registrants]) await write(rows);
  } finally {
    await stored;
  }
}

/** On SQLite the last record of a key replaces the others. */
const storing: Record<Engine, (bulk: Bulk, into: LoadedColumns) => Rows['store']> = {
  sqlite: (bulk, into) => inserting(bulk, { ...into, verb: 'INSERT OR REPLACE' }),
  postgres: (bulk, into) => async (values) => {
    if (values.length > 0) await bulk.load(into, values);
  },
};

/** Appends the values of a row in the order of `stagedColumns`: the key, `line`, `deleted`, `left_out`, the others. */
function pushRow(
  values: SqlValue[],
  { record, line, at }: { readonly record: DatasetRecord; readonly line: number; readonly at: Date },
): void {
  const { key, columns } = kinds[record.kind];
  const fields = record as unknown as Readonly<Record<string, SqlValue | undefined>>;
  for (const name of key) values.push(fields[name] ?? null);
  const deleted = record.deleted === true;
  const leftOutIndex = values.push(line, deleted, 0) - 1;
  let leftOut = 0;
  let bit = 1;
  for (const { name, defaultValue, encode } of columns) {
    const value = deleted ? null : fields[name];
    if (value === undefined) leftOut += bit;
    if (value === undefined) values.push(defaultValue === importTimestamp ? at : (defaultValue ?? null));
    else values.push(encode === undefined ? value : encode(value));
    bit *= 2;
  }
  values[leftOutIndex] = leftOut;
}
