import { type Sql, type SqlValue, timestampOrNull } from './database.js';
import { listOf, raw, SQL, type SqlText, type Tag } from './sql-text.js';

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
  const found = (sql: Sql, { text, values }: SqlText) =>
    sql.all<StoredRow>(`SELECT ${columns} ${text}`, values);
  const changed = (sql: Sql, { text, values }: SqlText) =>
    sql.all<StoredRow>(`${text} RETURNING ${columns}`, values);
  const firstOf = ([row]: readonly StoredRow[]): Value | null => (row === undefined ? null : read(row));
  const allOf = (rows: readonly StoredRow[]): readonly Value[] => rows.map((row) => read(row));
  return {
    ...{ columns, read },
    all:
      (sql) =>
      async (...template) =>
        allOf(await found(sql, SQL(...template))),
    first:
      (sql) =>
      async (...template) =>
        firstOf(await found(sql, SQL(...template))),
    changed:
      (sql) =>
      async (...template) =>
        firstOf(await changed(sql, SQL(...template))),
    allChanged:
      (sql) =>
      async (...template) =>
        allOf(await changed(sql, SQL(...template))),
  };
}

/** How each field is read. */
type Fields = Readonly<Record<string, (stored: never) => unknown>>;

type ValuesOf<Of extends Fields> = { readonly [Name in keyof Of]: ReturnType<Of[Name]> };

interface ColumnNames<Of extends Fields> {
  /** What the names of the columns begin with in a row, so that several tables can be joined. */
  readonly prefix?: string;
  /** The columns that are not named after their field: `organization_id` for `organizationId`. */
  readonly names?: { readonly [Name in keyof Of]?: string };
}

/** Something that is stored as it is in the columns of a table. */
export interface StoredColumns<Of extends Fields> extends Stored<ValuesOf<Of>> {
  /** Stores a row. */
  insert(values: RowOf<Of>): SqlText;
  /** Stores a row, or replaces the one with the same key. */
  replace(key: keyof Of & string, values: RowOf<Of>): SqlText;
}

type RowOf<Of extends Fields> = { readonly [Name in keyof Of]: SqlValue };

/** Fields that are columns of a table. */
export function storedIn<Of extends Fields>(
  table: string,
  fields: Of,
  { prefix = '', names = {} }: ColumnNames<Of> = {},
): StoredColumns<Of> {
  const columnOf = (field: keyof Of & string): string =>
    names[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const all = Object.entries(fields).map(([field, read]) => {
    const column = columnOf(field);
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
    replace(key, values) {
      const others = all.filter(({ field }) => field !== key);
      const changes = others.map(({ column }) => `${column} = excluded.${column}`);
      return SQL`${insert(values)}
        ON CONFLICT (${raw(columnOf(key))}) DO UPDATE SET ${raw(changes.join(', '))}`;
    },
  };
}

export const whole = (value: number): number => value;
export const wholeOrNull = (value: number | null): number | null => value;
export const text = (value: string): string => value;
export const textOrNull = (value: string | null): string | null => value;
export const flag = (value: number | boolean): boolean => Boolean(value);
export const time = (value: string): Date => new Date(value);
export const timeOrNull = timestampOrNull;
/** A text of a closed list. */
export const oneOf =
  <Value extends string | null>() =>
  (value: Value): Value =>
    value;
