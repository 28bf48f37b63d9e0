import { type Sql, type SqlValue, timestampOrNull } from './database.js';

/** A row, by the names of its columns. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** Something that is stored in columns: which these are, and what their values mean. */
export interface Stored<Value> {
  /** The columns of a SELECT or a RETURNING. */
  readonly columns: string;
  read(row: StoredRow): Value;
  /** What a SELECT finds. `from` follows its columns. */
  all(sql: Sql, from: string, values?: readonly SqlValue[]): Promise<readonly Value[]>;
  /** The first that a SELECT finds. Null: none. */
  first(sql: Sql, from: string, values?: readonly SqlValue[]): Promise<Value | null>;
  /** The first row that a statement stores, changes or deletes. Null: none. */
  changed(sql: Sql, text: string, values?: readonly SqlValue[]): Promise<Value | null>;
}

export function stored<Value>(columns: string, read: (row: StoredRow) => Value): Stored<Value> {
  const firstOf = ([row]: readonly StoredRow[]): Value | null => (row === undefined ? null : read(row));
  return {
    ...{ columns, read },
    all: async (sql, from, values) =>
      (await sql.all<StoredRow>(`SELECT ${columns} ${from}`, values)).map((row) => read(row)),
    first: async (sql, from, values) =>
      firstOf(await sql.all<StoredRow>(`SELECT ${columns} ${from}`, values)),
    changed: async (sql, text, values) =>
      firstOf(await sql.all<StoredRow>(`${text} RETURNING ${columns}`, values)),
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

/** Fields that are columns of a table. */
export function storedIn<Of extends Fields>(
  table: string,
  fields: Of,
  { prefix = '', names = {} }: ColumnNames<Of> = {},
): Stored<ValuesOf<Of>> {
  const all = Object.entries(fields).map(([field, read]) => {
    const column = names[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { field, column, as: prefix + column, read: read as (stored: unknown) => unknown };
  });
  const columns = all.map(({ column, as }) => `${table}.${column}${as === column ? '' : ` AS ${as}`}`);
  return stored(columns.join(', '), (row) => {
    const values: Record<string, unknown> = {};
    for (const { field, as, read } of all) values[field] = read(row[as]);
    return values as ValuesOf<Of>;
  });
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
