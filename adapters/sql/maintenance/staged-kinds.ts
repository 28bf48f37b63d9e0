import type { Engine, SqlValue } from '../engine/database.js';

/**
 * A kind of record. Each kind has a temporary table with one row for each key, so that the database does the sorting
 * and joining, spills to disk, and memory stays flat. The column `left_out` has a bit for each optional column that is
 * missing in the record.
 */
export interface Kind {
  /** The table of the stored records. Staged records are in `staged_<table>`. */
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: readonly Column[];
}

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** The value when the record leaves the column out. Absent when the column is required. */
  readonly defaultValue?: SqlValue | typeof importTimestamp;
  /** Converts the value to its stored form. Absent when they are equal. */
  readonly encode?: (value: unknown) => SqlValue;
}

type ColumnType = 'text' | 'whole' | 'boolean' | 'timestamp' | 'uuid';

export const columnTypes: Record<Engine, Record<ColumnType, string>> = {
  sqlite: { text: 'TEXT', whole: 'INTEGER', boolean: 'INTEGER', timestamp: 'TEXT', uuid: 'TEXT' },
  postgres: { text: 'text', whole: 'bigint', boolean: 'boolean', timestamp: 'timestamptz', uuid: 'uuid' },
};

export const importTimestamp = Symbol('the time of the import');

const meetingAndUser = ['meeting_id', 'user_id'];

const columns = {
  organization: [
    { name: 'name', type: 'text' },
    { name: 'eap', type: 'boolean', defaultValue: false },
    { name: 'time_zone', type: 'text', defaultValue: null },
    { name: 'access_key_hash', type: 'text', defaultValue: null },
  ],
  user: [
    { name: 'uuid', type: 'uuid' },
    { name: 'email', type: 'text' },
    { name: 'first_name', type: 'text' },
    { name: 'last_name', type: 'text' },
    { name: 'avatar', type: 'text', defaultValue: null },
    { name: 'created_at', type: 'timestamp', defaultValue: importTimestamp },
  ],
  membership: [
    { name: 'role', type: 'text' },
    { name: 'idp_id', type: 'text', defaultValue: null },
  ],
  meeting: [
    { name: 'organization_id', type: 'whole' },
    { name: 'name', type: 'text' },
    { name: 'meeting_type', type: 'text' },
    { name: 'start_time', type: 'timestamp' },
    { name: 'end_time', type: 'timestamp' },
    { name: 'duration', type: 'whole' },
    { name: 'status', type: 'text' },
    { name: 'topic', type: 'text', defaultValue: '' },
    { name: 'special_focus', type: 'text', defaultValue: '' },
    { name: 'host', type: 'text', defaultValue: '' },
    { name: 'location', type: 'text' },
    { name: 'price', type: 'text', defaultValue: null, encode: numberText },
    { name: 'max_attendees', type: 'whole', defaultValue: 0 },
    { name: 'group_leader_id', type: 'whole', defaultValue: null },
    { name: 'privacy', type: 'boolean', defaultValue: false },
    { name: 'eap', type: 'boolean', defaultValue: false },
    { name: 'allow_meeting_donation', type: 'boolean', defaultValue: false },
    { name: 'invitation_only', type: 'boolean', defaultValue: false },
    { name: 'wait_list', type: 'boolean', defaultValue: false },
    // Last, because SQLite reads a long text to find what comes after it.
    { name: 'meeting_description', type: 'text', defaultValue: null },
  ],
  registration: [{ name: 'registered_at', type: 'timestamp', defaultValue: importTimestamp }],
  waitlist_entry: [
    { name: 'status', type: 'text' },
    { name: 'created_at', type: 'timestamp', defaultValue: importTimestamp },
    { name: 'offered_until', type: 'timestamp', defaultValue: null },
  ],
} as const satisfies Readonly<Record<string, readonly Column[]>>;

export type DatasetKind = keyof typeof columns;

export const kinds: Record<DatasetKind, Kind> = {
  organization: { table: 'organizations', key: ['id'], columns: columns.organization },
  user: { table: 'users', key: ['id'], columns: columns.user },
  membership: { table: 'memberships', key: ['organization_id', 'user_id'], columns: columns.membership },
  meeting: { table: 'meetings', key: ['id'], columns: columns.meeting },
  registration: { table: 'registrations', key: meetingAndUser, columns: columns.registration },
  waitlist_entry: { table: 'waitlist_entries', key: meetingAndUser, columns: columns.waitlist_entry },
};

/** The fields of a record besides its key, as the columns are stored. */
export type StoredFields<Of extends DatasetKind> = FieldsOf<(typeof columns)[Of]>;

/** Columns with a default may be left out of a record. */
type FieldsOf<Columns extends readonly Column[]> = {
  readonly [Each in Extract<Columns[number], { readonly defaultValue: unknown }> as Each['name']]?:
    | FieldTypes[Each['type']]
    | Extract<Each['defaultValue'], null>
    | undefined;
} & {
  readonly [Each in Exclude<
    Columns[number],
    { readonly defaultValue: unknown }
  > as Each['name']]: FieldTypes[Each['type']];
};

interface FieldTypes {
  readonly text: string;
  readonly uuid: string;
  readonly timestamp: string;
  readonly whole: number;
  readonly boolean: boolean;
}

/** The columns of a staging table, in the order of the values. */
export function stagedColumns({ key, columns }: Pick<Kind, 'key' | 'columns'>): readonly string[] {
  return [...key, 'line', 'deleted', 'left_out', ...columns.map(({ name }) => name)];
}

/** SQLite prints floating-point numbers with 15 digits, so a number is stored as the text of the dataset. */
function numberText(value: unknown): SqlValue {
  return value === null ? null : JSON.stringify(value);
}

export interface StagedKind {
  readonly kind: DatasetKind;
  readonly table: string;
  /** The number of records to store. */
  readonly stored: number;
  /** Whether any record removes a stored one. */
  readonly removes: boolean;
  /** Whether any record leaves out a column. */
  readonly leavesOut: boolean;
}

export type Staged = Readonly<Record<DatasetKind, StagedKind>>;
