import type { Engine, SqlValue } from '../engine/database.js';
import type { DatasetKind } from './dataset.js';

/**
 * The records of a dataset in temporary tables, one a kind and one row a key, so that sorting, joining and
 * spilling to disk are the database's work and memory stays flat. `left_out` has a bit for each optional
 * column that the record did not name.
 */
export interface Kind {
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

export const columnTypes: Record<Engine, Record<ColumnType, string>> = {
  sqlite: { text: 'TEXT', whole: 'INTEGER', boolean: 'INTEGER', timestamp: 'TEXT', uuid: 'TEXT' },
  postgres: { text: 'text', whole: 'bigint', boolean: 'boolean', timestamp: 'timestamptz', uuid: 'uuid' },
};

export const importTimestamp = Symbol('the time of the import');

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

/** The columns of a staging table, in the order in which values come. */
export function stagedColumns({ key, columns }: Pick<Kind, 'key' | 'columns'>): readonly string[] {
  return [...key, 'line', 'deleted', 'left_out', ...columns.map(({ name }) => name)];
}

/** SQLite prints floating-point numbers with 15 digits, so a number is stored as the text of the dataset. */
function numberText(value: unknown): SqlValue {
  return value === null ? null : JSON.stringify(value);
}
