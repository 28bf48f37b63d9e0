import type { Bulk, Engine, SqlValue } from '../engine/database.js';
import { insertMany } from '../engine/insert-many.js';
import type { DatasetItem, DatasetRecord } from './dataset.js';
import { importTimestamp, kinds, stagedColumns } from './staged-kinds.js';

/** More rows would not be faster on SQLite. With PostgreSQL each statement costs a round trip. */
const ROWS_PER_STATEMENT: Record<Engine, number> = { sqlite: 50, postgres: 1_000 };

/** Stores every record in the staging table of its kind. The last record of a key replaces earlier ones. */
export async function stageRecords(
  bulk: Bulk,
  source: AsyncIterable<readonly DatasetItem[]>,
  at: Date,
): Promise<void> {
  const storing = createSequence();
  const staged = (table: string, columns: readonly string[]): StagedRows =>
    stagedRows(bulk, { table, columns, storing });
  const tables = new Map(
    Object.entries(kinds).map(([kind, { table, key, columns }]) => [
      kind,
      staged(`staged_${table}`, stagedColumns({ key, columns })),
    ]),
  );
  const ties = staged('staged_ties', ['meeting_id', 'organization_id', 'line']);
  const tied = staged('staged_tied', ['meeting_id', 'line']);
  const registrants = staged('staged_registrants', ['organization_id', 'user_id', 'line']);

  try {
    for await (const items of source) {
      for (const { line, record } of items) {
        const rows = tables.get(record.kind);
        if (rows?.add((values) => pushRow(values, { record, line, at }))) await rows.write();
        if (record.kind === 'membership' && !record.deleted && record.registered === true) {
          const { organization_id, user_id } = record;
          if (registrants.add((values) => values.push(organization_id, user_id, line)))
            await registrants.write();
        }
        if (record.kind === 'meeting' && !record.deleted && record.eap_organization_ids !== undefined) {
          if (tied.add((values) => values.push(record.id, line))) await tied.write();
          for (const id of record.eap_organization_ids) {
            if (ties.add((values) => values.push(record.id, id, line))) await ties.write();
          }
        }
      }
    }
    for (const rows of [...tables.values(), ties, tied, registrants]) await rows.write();
  } finally {
    await storing.end();
  }
}

/** Runs pieces of work one after another, while the caller prepares the next piece. */
interface Sequence {
  /** Resolves when the work has started. Throws the error of the previous piece. */
  begin(work: () => Promise<void>): Promise<void>;
  end(): Promise<void>;
}

function createSequence(): Sequence {
  let last = done;
  return {
    async begin(work) {
      await last;
      last = work();
      // The next call of `begin` or `end` throws the error.
      last.catch(() => undefined);
    },
    end: () => last,
  };
}

interface StagedRows {
  /** Adds a row, whose values `push` appends. Returns whether it is time to call `write`. */
  add(push: (values: SqlValue[]) => void): boolean;
  write(): Promise<void>;
}

function stagedRows(
  bulk: Bulk,
  {
    table,
    columns,
    storing,
  }: { readonly table: string; readonly columns: readonly string[]; readonly storing: Sequence },
): StagedRows {
  const maxValues = ROWS_PER_STATEMENT[bulk.engine] * columns.length;
  let values: SqlValue[] = [];
  return {
    add(push) {
      push(values);
      return values.length === maxValues;
    },
    async write() {
      const rows = { table, columns, values };
      values = [];
      await storing.begin(() => store[bulk.engine](bulk, rows));
    },
  };
}

interface RowsToStore {
  readonly table: string;
  readonly columns: readonly string[];
  /** The values of all rows, one row after the other. */
  readonly values: readonly SqlValue[];
}

/** On SQLite the last record of a key replaces the others. */
const store: Record<Engine, (bulk: Bulk, rows: RowsToStore) => Promise<void>> = {
  sqlite: (bulk, { values, ...target }) => insertMany(bulk, { ...target, verb: 'INSERT OR REPLACE' }, values),
  postgres: (bulk, { values, ...target }) => (values.length === 0 ? done : bulk.load(target, values)),
};

const done = Promise.resolve();

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
