import { type Sql, type SqlValue, timestampOrNull } from './database.js';
import { listOf, raw, SQL, type SqlText } from './sql-text.js';
import type { Tag } from './statements.js';

/** A row, by the names of its columns. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** Something that is stored in columns: which these are, and what their values mean. */
export interface Stored<Value> {
  /** The columns of a SELECT or a RETURNING. */
  readonly columns: string;
  read(row: StoredRow): Value;
  /** What a SELECT finds. The text follows its columns. */
  all(sql: Sql): Tag<readonly Value[]>;
  /** The first that a SELECT finds. Null: none. */
  first(sql: Sql): Tag<Value | null>;
  /** The first row that a statement stores, changes or deletes. Null: none. */
  changed(sql: Sql): Tag<Value | null>;
  /** All rows that a statement stores, changes or deletes. */
  allChanged(sql: Sql): Tag<readonly Value[]>;
}

export function stored<Value>(columns: string, read: (row: StoredRow) => Value): Stored<Value> {
  const found = ({ text, values }: SqlText): SqlText['args'] => [`SELECT ${columns} ${text}`, values];
  const changed = ({ text, values }: SqlText): SqlText['args'] => [`${text} RETURNING ${columns}`, values];
  const first = ([row]: readonly StoredRow[]): Value | null => (row === undefined ? null : read(row));
  const all = (rows: readonly StoredRow[]): readonly Value[] => rows.map((row) => read(row));
  const reading =
    <Answer>(toStatement: typeof found, answer: (rows: readonly StoredRow[]) => Answer) =>
    (sql: Sql): Tag<Answer> =>
    async (...template) =>
      answer(await sql.all<StoredRow>(...toStatement(SQL(...template))));
  return {
    ...{ columns, read, all: reading(found, all), first: reading(found, first) },
    ...{ changed: reading(changed, first), allChanged: reading(changed, all) },
  };
}

const readers = {
  whole: (value: number) => value,
  wholeOrNull: (value: number | null) => value,
  text: (value: string) => value,
  textOrNull: (value: string | null) => value,
  flag: (value: number | boolean) => Boolean(value),
  time: (value: string) => new Date(value),
  timeOrNull: timestampOrNull,
};

/** A text of a closed list. */
export const oneOf =
  <Value extends string | null>() =>
  (value: Value): Value =>
    value;

/** How a field is read: as values of a type are, or in a way of its own. */
type Way = keyof typeof readers | ((stored: never) => unknown);

/** Fields, with their columns if those are not named after them: `organization_id` for `organizationId`. */
type Fields = Readonly<Record<string, Way | readonly [column: string, way: Way]>>;

type WayOf<Field> = Field extends readonly [string, infer Own] ? Own : Field;
type Reader<Own> = Own extends keyof typeof readers ? (typeof readers)[Own] : Own;

type ValuesOf<Of extends Fields> = {
  readonly [Name in keyof Of]: ReturnType<Extract<Reader<WayOf<Of[Name]>>, (stored: never) => unknown>>;
};

/** Something that is stored as it is in the columns of a table. */
export interface StoredColumns<Of extends Fields> extends Stored<ValuesOf<Of>> {
  /** Stores a row. */
  insert(values: RowOf<Of>): SqlText;
  /** Stores the row of an organization, or replaces it. */
  replace(values: RowOf<Of>): SqlText;
}

type RowOf<Of extends Fields> = { readonly [Name in keyof Of]: SqlValue };

/** `prefix`: what the names of the columns begin with in a row, so that several tables can be joined. */
type Table = string | { readonly table: string; readonly prefix: string };

/** Fields that are columns of a table. */
export function storedIn<const Of extends Fields>(of: Table, fields: Of): StoredColumns<Of> {
  const { table, prefix } = typeof of === 'string' ? { table: of, prefix: '' } : of;
  const all = Object.entries(fields).map(([field, own]) => {
    const named = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const [column, way] = isNamed(own) ? own : [named, own];
    const read = typeof way === 'string' ? readers[way] : way;
    return { field, column, as: prefix + column, read: read as (stored: unknown) => unknown };
  });
  const columns = all.map(({ column, as }) => `${table}.${column}${as === column ? '' : ` AS ${as}`}`);
  const into = raw(`${table} (${all.map(({ column }) => column).join(', ')})`);
  const insert = (values: RowOf<Of>) =>
    SQL`INSERT INTO ${into} VALUES (${listOf(all.map(({ field }) => values[field] ?? null))})`;
  return {
    ...stored(columns.join(', '), (row) => {
      const values: Record<string, unknown> = {};
      for (const { field, as, read } of all) values[field] = read(row[as]);
      return values as ValuesOf<Of>;
    }),
    insert,
    replace(values) {
      const others = all.filter(({ column }) => column !== 'organization_id');
      const changes = others.map(({ column }) => `${column} = excluded.${column}`);
      return SQL`${insert(values)}
        ON CONFLICT (organization_id) DO UPDATE SET ${raw(changes.join(', '))}`;
    },
  };
}

function isNamed(own: Fields[string]): own is readonly [column: string, way: Way] {
  return Array.isArray(own);
}
