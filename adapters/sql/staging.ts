import { type Bulk, marks, type SqlValue } from './database.js';
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
  readonly type: 'TEXT' | 'INTEGER';
  /** Absent: always given. */
  readonly otherwise?: SqlValue | typeof importMoment;
  /** Given where the value is not stored as it is. */
  readonly encode?: (value: unknown) => SqlValue;
}

const importMoment = Symbol('the moment of the import');

const place = ['meeting_id', 'user_id'];

export const kinds: Record<DatasetKind, Kind> = {
  organization: {
    table: 'organizations',
    key: ['id'],
    columns: [
      { name: 'name', type: 'TEXT' },
      { name: 'eap', type: 'INTEGER', otherwise: false },
      { name: 'time_zone', type: 'TEXT', otherwise: null },
      { name: 'access_key_hash', type: 'TEXT', otherwise: null },
    ],
  },
  user: {
    table: 'users',
    key: ['id'],
    columns: [
      { name: 'uuid', type: 'TEXT' },
      { name: 'email', type: 'TEXT' },
      { name: 'first_name', type: 'TEXT' },
      { name: 'last_name', type: 'TEXT' },
      { name: 'avatar', type: 'TEXT', otherwise: null },
      { name: 'created_at', type: 'TEXT', otherwise: importMoment },
    ],
  },
  membership: {
    table: 'memberships',
    key: ['organization_id', 'user_id'],
    columns: [
      { name: 'role', type: 'TEXT' },
      { name: 'idp_id', type: 'TEXT', otherwise: null },
    ],
  },
  meeting: {
    table: 'meetings',
    key: ['id'],
    columns: [
      { name: 'organization_id', type: 'INTEGER' },
      { name: 'name', type: 'TEXT' },
      { name: 'meeting_type', type: 'TEXT' },
      { name: 'start_time', type: 'TEXT' },
      { name: 'end_time', type: 'TEXT' },
      { name: 'duration', type: 'INTEGER' },
      { name: 'status', type: 'TEXT' },
      { name: 'topic', type: 'TEXT', otherwise: '' },
      { name: 'special_focus', type: 'TEXT', otherwise: '' },
      { name: 'host', type: 'TEXT', otherwise: '' },
      { name: 'location', type: 'TEXT' },
      { name: 'price', type: 'TEXT', otherwise: null, encode: numberText },
      { name: 'max_attendees', type: 'INTEGER', otherwise: 0 },
      { name: 'meeting_description', type: 'TEXT', otherwise: null },
      { name: 'group_leader_id', type: 'INTEGER', otherwise: null },
      { name: 'privacy', type: 'INTEGER', otherwise: false },
      { name: 'eap', type: 'INTEGER', otherwise: false },
      { name: 'allow_meeting_donation', type: 'INTEGER', otherwise: false },
      { name: 'invitation_only', type: 'INTEGER', otherwise: false },
      { name: 'wait_list', type: 'INTEGER', otherwise: false },
    ],
  },
  registration: {
    table: 'registrations',
    key: place,
    columns: [{ name: 'registered_at', type: 'TEXT', otherwise: importMoment }],
  },
  waitlist_entry: {
    table: 'waitlist_entries',
    key: place,
    columns: [
      { name: 'status', type: 'TEXT' },
      { name: 'created_at', type: 'TEXT', otherwise: importMoment },
    ],
  },
};

/** Rows that one statement inserts. */
const ROWS_AT_ONCE = 50;

export async function makeStaging(bulk: Bulk): Promise<void> {
  for (const { table, key, columns } of Object.values(kinds)) {
    const keyColumns = key.map((name) => `${name} INTEGER`);
    const own = columns.map(({ name, type }) => `${name} ${type}`);
    await bulk.run(
      `CREATE TEMP TABLE staged_${table} (
        ${[...keyColumns, 'line INTEGER', 'deleted INTEGER', 'left_out INTEGER', ...own].join(', ')},
        PRIMARY KEY (${key.join(', ')})
      )${key.length > 1 ? ' WITHOUT ROWID' : ''}`,
    );
  }
  await bulk.run('CREATE TEMP TABLE staged_ties (meeting_id INTEGER, organization_id INTEGER, line INTEGER)');
  await bulk.run('CREATE TEMP TABLE staged_tied (meeting_id INTEGER PRIMARY KEY, line INTEGER)');
}

/** Puts every record into its table; the last one of a key stays. */
export async function stage(
  bulk: Bulk,
  source: AsyncIterable<readonly DatasetItem[]>,
  at: Date,
): Promise<void> {
  const tables = new Map(
    Object.entries(kinds).map(([kind, { table, key, columns }]) => [
      kind,
      stagedRows(bulk, `staged_${table}`, key.length + 3 + columns.length),
    ]),
  );
  const ties = stagedRows(bulk, 'staged_ties', 3);
  const tied = stagedRows(bulk, 'staged_tied', 2);

  for await (const items of source) {
    for (const { line, record } of items) {
      const full = tables.get(record.kind)?.add(rowOf(record, line, at));
      if (full) await full.write();
      if (record.kind === 'meeting' && !record.deleted && record.eap_organization_ids !== undefined) {
        await tied.add([record.id, line])?.write();
        for (const id of record.eap_organization_ids) await ties.add([record.id, id, line])?.write();
      }
    }
  }
  for (const rows of [...tables.values(), ties, tied]) await rows.write();
}

interface StagedRows {
  /** Itself when it is time to write. */
  add(row: readonly SqlValue[]): StagedRows | null;
  write(): Promise<void>;
}

function stagedRows(bulk: Bulk, table: string, width: number): StagedRows {
  const row = `(${marks(width)})`;
  const insert = (rows: number) =>
    `INSERT OR REPLACE INTO ${table} VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
  const insertMany = insert(ROWS_AT_ONCE);
  const insertOne = insert(1);
  let values: SqlValue[] = [];
  const staged: StagedRows = {
    add(row) {
      for (const value of row) values.push(value);
      return values.length === ROWS_AT_ONCE * width ? staged : null;
    },
    async write() {
      if (values.length === ROWS_AT_ONCE * width) {
        await bulk.run(insertMany, values);
      } else {
        for (let start = 0; start < values.length; start += width) {
          await bulk.run(insertOne, values.slice(start, start + width));
        }
      }
      values = [];
    },
  };
  return staged;
}

function rowOf(record: DatasetRecord, line: number, at: Date): readonly SqlValue[] {
  const { key, columns } = kinds[record.kind];
  const given = record as unknown as Readonly<Record<string, SqlValue | undefined>>;
  const row: SqlValue[] = [];
  for (const name of key) row.push(given[name] ?? null);
  const rest: SqlValue[] = [];
  let leftOut = 0;
  for (const [index, { name, otherwise, encode }] of columns.entries()) {
    const value = given[name];
    if (value !== undefined) {
      rest.push(encode === undefined ? value : encode(value));
      continue;
    }
    leftOut += 2 ** index;
    rest.push(otherwise === importMoment ? at : (otherwise ?? null));
  }
  const deleted = record.deleted === true;
  row.push(line, deleted, deleted ? 0 : leftOut, ...(deleted ? rest.fill(null) : rest));
  return row;
}

/**
 * What a record left out is what is stored, where there is something stored. The `+` keeps SQLite from
 * starting at the stored rows: there may be many more of them than staged ones.
 */
export async function fillIn(bulk: Bulk): Promise<void> {
  for (const { table, key, columns } of Object.values(kinds)) {
    const optional = [...columns.entries()].filter(([, { otherwise }]) => otherwise !== undefined);
    const changes = optional.map(
      ([index, { name }]) =>
        `${name} = CASE WHEN staged.left_out & ${2 ** index} THEN stored.${name} ELSE staged.${name} END`,
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
