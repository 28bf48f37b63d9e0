import type { Bulk, Engine, SqlValue } from '../engine/database.js';
import { insertMany } from '../engine/insert-many.js';
import type { DatasetItem, DatasetKind, DatasetRecord } from './dataset.js';

/**
 * The records of a dataset in temporary tables, one a kind and one row a key, so that sorting, joining and
 * spilling to disk are the database's work and memory stays flat. `left_out` has a bit for each optional
 * column that the record did not name.
 */
interface Kind {
  /** The table that holds such records; staged ones are in `staged_<table>`. */
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: readonly Column[];
}

interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Absent: always given. */
  readonly otherwise?: SqlValue | typeof importTimestamp;
  /** Given where the value is not stored as it is. */
  readonly encode?: (value: unknown) => SqlValue;
}

type ColumnType = 'text' | 'whole' | 'boolean' | 'timestamp' | 'uuid';

const columnTypes: Record<Engine, Record<ColumnType, string>> = {
  sqlite: { text: 'TEXT', whole: 'INTEGER', boolean: 'INTEGER', timestamp: 'TEXT', uuid: 'TEXT' },
  postgres: { text: 'text', whole: 'bigint', boolean: 'boolean', timestamp: 'timestamptz', uuid: 'uuid' },
};

const importTimestamp = Symbol('the time of the import');

const place = ['meeting_id', 'user_id'];

export const kinds: Record<DatasetKind, Kind> = {
  organization: {
    table: 'organizations',
    key: ['id'],
    columns: [
      { name: 'name', type: 'text' },
      { name: 'eap', type: 'boolean', otherwise: false },
      { name: 'time_zone', type: 'text', otherwise: null },
      { name: 'access_key_hash', type: 'text', otherwise: null },
    ],
  },
  user: {
    table: 'users',
    key: ['id'],
    columns: [
      { name: 'uuid', type: 'uuid' },
      { name: 'email', type: 'text' },
      { name: 'first_name', type: 'text' },
      { name: 'last_name', type: 'text' },
      { name: 'avatar', type: 'text', otherwise: null },
      { name: 'created_at', type: 'timestamp', otherwise: importTimestamp },
    ],
  },
  membership: {
    table: 'memberships',
    key: ['organization_id', 'user_id'],
    columns: [
      { name: 'role', type: 'text' },
      { name: 'idp_id', type: 'text', otherwise: null },
    ],
  },
  meeting: {
    table: 'meetings',
    key: ['id'],
    columns: [
      { name: 'organization_id', type: 'whole' },
      { name: 'name', type: 'text' },
      { name: 'meeting_type', type: 'text' },
      { name: 'start_time', type: 'timestamp' },
      { name: 'end_time', type: 'timestamp' },
      { name: 'duration', type: 'whole' },
      { name: 'status', type: 'text' },
      { name: 'topic', type: 'text', otherwise: '' },
      { name: 'special_focus', type: 'text', otherwise: '' },
      { name: 'host', type: 'text', otherwise: '' },
      { name: 'location', type: 'text' },
      { name: 'price', type: 'text', otherwise: null, encode: numberText },
      { name: 'max_attendees', type: 'whole', otherwise: 0 },
      { name: 'meeting_description', type: 'text', otherwise: null },
      { name: 'group_leader_id', type: 'whole', otherwise: null },
      { name: 'privacy', type: 'boolean', otherwise: false },
      { name: 'eap', type: 'boolean', otherwise: false },
      { name: 'allow_meeting_donation', type: 'boolean', otherwise: false },
      { name: 'invitation_only', type: 'boolean', otherwise: false },
      { name: 'wait_list', type: 'boolean', otherwise: false },
    ],
  },
  registration: {
    table: 'registrations',
    key: place,
    columns: [{ name: 'registered_at', type: 'timestamp', otherwise: importTimestamp }],
  },
  waitlist_entry: {
    table: 'waitlist_entries',
    key: place,
    columns: [
      { name: 'status', type: 'text' },
      { name: 'created_at', type: 'timestamp', otherwise: importTimestamp },
    ],
  },
};

/** Rows that are stored at once: SQLite gains nothing by more, PostgreSQL answers each time. */
const ROWS_AT_ONCE: Record<Engine, number> = { sqlite: 50, postgres: 1_000 };

/** On PostgreSQL the tables have no keys while they are filled: one statement can't replace what it has inserted. */
export async function makeStaging(bulk: Bulk): Promise<void> {
  const { engine } = bulk;
  const { whole, boolean } = columnTypes[engine];
  for (const { table, key, columns } of Object.values(kinds)) {
    const keyColumns = key.map((name) => `${name} ${whole}`);
    const own = columns.map(({ name, type }) => `${name} ${columnTypes[engine][type]}`);
    // In the order of `stagedColumns`.
    const all = [...keyColumns, `line ${whole}`, `deleted ${boolean}`, `left_out ${whole}`, ...own];
    if (engine === 'sqlite') all.push(`PRIMARY KEY (${key.join(', ')})`);
    const withoutRowid = engine === 'sqlite' && key.length > 1 ? ' WITHOUT ROWID' : '';
    await bulk.run(`CREATE TEMP TABLE staged_${table} (${all.join(', ')})${withoutRowid}`);
  }
  await bulk.run(
    `CREATE TEMP TABLE staged_ties (meeting_id ${whole}, organization_id ${whole}, line ${whole})`,
  );
  const primary = engine === 'sqlite' ? ' PRIMARY KEY' : '';
  await bulk.run(`CREATE TEMP TABLE staged_tied (meeting_id ${whole}${primary}, line ${whole})`);
}

/**
 * On PostgreSQL: keeps the last record of each key, and tells the planner how much there is, of the columns by which
 * tables are joined: of long texts it would take longer than to load them.
 */
export async function settleStaging(bulk: Bulk): Promise<void> {
  if (bulk.engine === 'sqlite') return;
  const tables = Object.values(kinds).map(({ table, key, columns }) => ({
    table: `staged_${table}`,
    key: key.join(', '),
    // Long texts are those of meetings, and nothing is joined by them.
    looked: table === 'meetings' ? columns.filter(({ type }) => type !== 'text') : columns,
  }));
  for (const { table, key, looked } of [...tables, { table: 'staged_tied', key: 'meeting_id', looked: [] }]) {
    await bulk.run(
      `DELETE FROM ${table} WHERE ctid IN (
        SELECT place FROM (
          SELECT ctid AS place, row_number() OVER (PARTITION BY ${key} ORDER BY line DESC) AS rank FROM ${table}
        ) AS ranked WHERE rank > 1
      )`,
    );
    await bulk.run(`ALTER TABLE ${table} ADD PRIMARY KEY (${key})`);
    await bulk.run(`ANALYZE ${table} (${[key, 'line', ...looked.map(({ name }) => name)].join(', ')})`);
  }
  await bulk.run('ANALYZE staged_ties');
}

/** Puts every record into its table; the last one of a key stays. */
export async function stage(
  bulk: Bulk,
  source: AsyncIterable<readonly DatasetItem[]>,
  at: Date,
): Promise<void> {
  const storing = inTurn();
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

  try {
    for await (const items of source) {
      for (const { line, record } of items) {
        const rows = tables.get(record.kind);
        if (rows?.add((values) => pushRow(values, { record, line, at }))) await rows.write();
        if (record.kind === 'meeting' && !record.deleted && record.eap_organization_ids !== undefined) {
          if (tied.add((values) => values.push(record.id, line))) await tied.write();
          for (const id of record.eap_organization_ids) {
            if (ties.add((values) => values.push(record.id, id, line))) await ties.write();
          }
        }
      }
    }
    for (const rows of [...tables.values(), ties, tied]) await rows.write();
  } finally {
    await storing.end();
  }
}

/** One after the other, each begun when the one before is done; whoever hands one over goes on meanwhile. */
interface InTurn {
  /** Ends when the work has begun. Throws what the one before threw. */
  begin(work: () => Promise<void>): Promise<void>;
  end(): Promise<void>;
}

function inTurn(): InTurn {
  let last = done;
  return {
    async begin(work) {
      await last;
      last = work();
      // Looked at by the next one, or at the end.
      last.catch(() => undefined);
    },
    end: () => last,
  };
}

interface StagedRows {
  /** `push` puts the values of one row behind the others. True: it is time to write. */
  add(push: (values: SqlValue[]) => void): boolean;
  write(): Promise<void>;
}

function stagedColumns({ key, columns }: Pick<Kind, 'key' | 'columns'>): readonly string[] {
  return [...key, 'line', 'deleted', 'left_out', ...columns.map(({ name }) => name)];
}

function stagedRows(
  bulk: Bulk,
  {
    table,
    columns,
    storing,
  }: { readonly table: string; readonly columns: readonly string[]; readonly storing: InTurn },
): StagedRows {
  const most = ROWS_AT_ONCE[bulk.engine] * columns.length;
  let values: SqlValue[] = [];
  return {
    add(push) {
      push(values);
      return values.length === most;
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
  /** One row's after the other's. */
  readonly values: readonly SqlValue[];
}

/** On SQLite the last one of a key takes the place of the others. */
const store: Record<Engine, (bulk: Bulk, rows: RowsToStore) => Promise<void>> = {
  sqlite: (bulk, { values, ...into }) => insertMany(bulk, { ...into, verb: 'INSERT OR REPLACE' }, values),
  postgres: (bulk, { values, ...into }) => (values.length === 0 ? done : bulk.load(into, values)),
};

const done = Promise.resolve();

/** In the order of the columns: the key, `line`, `deleted`, `left_out`, the others. */
function pushRow(
  values: SqlValue[],
  { record, line, at }: { readonly record: DatasetRecord; readonly line: number; readonly at: Date },
): void {
  const { key, columns } = kinds[record.kind];
  const given = record as unknown as Readonly<Record<string, SqlValue | undefined>>;
  for (const name of key) values.push(given[name] ?? null);
  const deleted = record.deleted === true;
  const leftOutAt = values.push(line, deleted, 0) - 1;
  let leftOut = 0;
  let bit = 1;
  for (const { name, otherwise, encode } of columns) {
    const value = deleted ? null : given[name];
    if (value === undefined) leftOut += bit;
    if (value === undefined) values.push(otherwise === importTimestamp ? at : (otherwise ?? null));
    else values.push(encode === undefined ? value : encode(value));
    bit *= 2;
  }
  values[leftOutAt] = leftOut;
}

/** What a dataset holds of one kind. */
export interface StagedKind {
  readonly kind: DatasetKind;
  /** The table that holds such records. */
  readonly table: string;
  /** How many records are to be stored. */
  readonly stored: number;
  /** Whether a record is to be removed. */
  readonly removes: boolean;
  /** Whether a record leaves anything out. */
  readonly leavesOut: boolean;
}

export type Staged = Readonly<Record<DatasetKind, StagedKind>>;

/** What has been staged, looked up once, so that nobody has to wait for it later. */
export async function stagedOf(bulk: Bulk): Promise<Staged> {
  const found: [DatasetKind, StagedKind][] = [];
  for (const [name, { table }] of Object.entries(kinds)) {
    const kind = name as DatasetKind;
    const row = await bulk.get<{ stored: number; removes: number; leaves_out: number }>(
      `SELECT count(*) FILTER (WHERE NOT deleted) AS stored, count(*) FILTER (WHERE deleted) AS removes,
        coalesce(max(left_out), 0) AS leaves_out
      FROM staged_${table}`,
    );
    const { stored = 0, removes = 0, leaves_out = 0 } = row ?? {};
    found.push([kind, { kind, table, stored, removes: removes > 0, leavesOut: leaves_out > 0 }]);
  }
  return Object.fromEntries(found) as Record<DatasetKind, StagedKind>;
}

/**
 * What a record left out is what is stored, where there is something stored. The `+` keeps SQLite from
 * starting at the stored rows: there may be many more of them than staged ones.
 */
export async function fillIn(bulk: Bulk, staged: Staged): Promise<void> {
  for (const { kind, table, leavesOut } of Object.values(staged)) {
    if (!leavesOut) continue;
    const { key, columns } = kinds[kind];
    const optional = [...columns.entries()].filter(([, { otherwise }]) => otherwise !== undefined);
    const changes = optional.map(
      ([index, { name }]) =>
        `${name} = CASE WHEN (staged.left_out & ${2 ** index}) <> 0 THEN stored.${name} ELSE staged.${name} END`,
    );
    await bulk.run(
      `UPDATE staged_${table} AS staged SET ${changes.join(', ')} FROM ${table} AS stored
      WHERE staged.left_out <> 0 AND ${key.map((name) => `stored.${name} = +staged.${name}`).join(' AND ')}`,
    );
  }
}

/** SQLite prints floating-point numbers with 15 digits, so a number stays the text that it came as. */
function numberText(value: unknown): SqlValue {
  return value === null ? null : JSON.stringify(value);
}
