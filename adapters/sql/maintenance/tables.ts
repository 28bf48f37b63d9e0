import type { Bulk, Engine, Sql } from '../engine/database.js';
import { execute } from '../engine/statements.js';
import { ownTablesText } from '../migrations/own-tables.js';

/** A table of the schema, as the database describes it. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of its primary key, in the key's order. */
  readonly key: readonly string[];
}

interface ColumnRow {
  readonly table_name: string;
  readonly column_name: string;
  /** The column's position in the primary key. Null when it is not part of the key. */
  readonly key_place: number | null;
}

const columnTexts: Record<Engine, string> = {
  sqlite: `SELECT found.name AS table_name, info.name AS column_name, nullif(info.pk, 0) AS key_place
    FROM sqlite_schema AS found JOIN pragma_table_info(found.name) AS info
    WHERE found.type = 'table' AND found.name IN (${ownTablesText})
    ORDER BY found.rowid, info.cid`,
  postgres: `SELECT found.relname AS table_name, attname AS column_name,
      array_position(indkey::int2[], attnum) AS key_place
    FROM pg_class AS found JOIN pg_attribute ON attrelid = found.oid
    LEFT JOIN pg_index ON indrelid = found.oid AND indisprimary
    WHERE found.relnamespace = quote_ident(current_schema())::regnamespace AND found.relkind = 'r'
      AND found.relname IN (${ownTablesText}) AND attnum > 0 AND NOT attisdropped
    ORDER BY found.oid, attnum`,
};

/** The tables that hold data, in the order of their creation. */
export async function tablesOf(sql: Sql, engine: Engine): Promise<readonly Table[]> {
  const rows = await sql.all<ColumnRow>(columnTexts[engine]);
  const names = [...new Set(rows.map(({ table_name }) => table_name))];
  return names.map((name) => {
    const columns = rows.filter(({ table_name }) => table_name === name);
    const key = columns
      .filter(({ key_place }) => key_place !== null)
      .sort((a, b) => (a.key_place ?? 0) - (b.key_place ?? 0));
    return { name, columns: columns.map(nameOf), key: key.map(nameOf) };
  });
}

function nameOf({ column_name }: ColumnRow): string {
  return column_name;
}

const lastIdTexts: Record<Engine, string> = {
  sqlite: `SELECT name AS table_name, seq AS last_id FROM sqlite_sequence
    WHERE seq > 0 AND name IN (${ownTablesText})`,
  postgres: `SELECT table_name, last_id FROM (
      SELECT relname AS table_name,
        pg_sequence_last_value(pg_get_serial_sequence(quote_ident(relname), attname)::regclass) AS last_id
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind = 'r' AND attidentity <> ''
        AND relname IN (${ownTablesText})
    ) AS counted
    WHERE last_id IS NOT NULL`,
};

/** The last number that each table has generated. Tables that have not generated any are left out. */
export async function lastIdsOf(bulk: Bulk): Promise<ReadonlyMap<string, number>> {
  const rows = await bulk.all<{ table_name: string; last_id: number }>(lastIdTexts[bulk.engine]);
  return new Map(rows.map(({ table_name, last_id }) => [table_name, last_id]));
}

/** Makes a table generate numbers after this one, if any. On PostgreSQL a rollback does not undo this. */
export async function setLastId(bulk: Bulk, table: string, lastId: number | null): Promise<void> {
  if (lastId === null) return;
  if (bulk.engine === 'postgres') {
    await execute(bulk)`SELECT setval(pg_get_serial_sequence(CAST(${table} AS text), 'id'), CAST(${lastId}
      AS bigint))`;
    return;
  }
  await execute(bulk)`DELETE FROM sqlite_sequence WHERE name = ${table}`;
  await execute(bulk)`INSERT INTO sqlite_sequence (name, seq) VALUES (${table}, ${lastId})`;
}

/** An index, a reference or a trigger that is cheaper to drop and create again than to maintain row by row. */
export interface Droppable {
  readonly drop: string;
  readonly create: string;
}

/** Indexes before the references that need them. Those of PostgreSQL can be created again from their definition alone. */
const droppableTexts: Record<Engine, (tables: string) => string> = {
  sqlite: (tables) => `SELECT 'DROP ' || type || ' ' || name AS "drop", sql AS "create" FROM sqlite_schema
    WHERE sql IS NOT NULL AND type IN ('trigger', 'index') AND tbl_name IN (${tables}) ORDER BY rowid`,
  postgres: (tables) => `WITH filled AS (
      SELECT oid FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace
        AND relkind = 'r' AND relname IN (${tables})
    )
    (
      SELECT format('DROP INDEX %s', indexrelid::regclass) AS "drop", pg_get_indexdef(indexrelid) AS "create"
      FROM pg_index
      WHERE indrelid IN (SELECT oid FROM filled) AND indisvalid AND NOT indisclustered AND NOT indisreplident
        AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)
      ORDER BY indexrelid
    ) UNION ALL (
      SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE contype = 'f' AND conrelid IN (SELECT oid FROM filled)
      ORDER BY oid
    )`,
};

/** The indexes and references of the tables. On SQLite also their triggers. */
export function droppablesOf(bulk: Bulk, tables: readonly string[]): Promise<readonly Droppable[]> {
  return bulk.all<Droppable>(droppableTexts[bulk.engine](tables.map((name) => `'${name}'`).join(', ')));
}

/** Switches a trigger of the table off on PostgreSQL. `USER`: all that are not its own. */
export function switchedOff(table: string, trigger: string): Droppable {
  const alter = (how: string): string => `ALTER TABLE ${table} ${how} TRIGGER ${trigger}`;
  return { drop: alter('DISABLE'), create: alter('ENABLE') };
}

export async function withDropped(
  bulk: Bulk,
  droppables: readonly Droppable[],
  work: () => Promise<void>,
): Promise<void> {
  for (const { drop } of [...droppables].reverse()) await bulk.run(drop);
  await work();
  for (const { create } of droppables) await bulk.run(create);
}

/**
 * Runs `work` within a transaction, to fill tables that no other client uses. Indexes are created and references
 * checked at the end, and no trigger runs. On SQLite the connection's `foreign_keys` must be off. Throws when a
 * reference has no target.
 */
export async function withIndexesDropped(
  bulk: Bulk,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const isPostgres = bulk.engine === 'postgres';
  const triggers = isPostgres ? tables.map((table) => switchedOff(table, 'USER')) : [];
  await withDropped(bulk, [...triggers, ...(await droppablesOf(bulk, tables))], work);
  if (isPostgres) return;
  const [dangling] = await bulk.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
  if (dangling !== undefined) {
    throw new Error(`a row of ${dangling.table} refers to one of ${dangling.parent} that is not there`);
  }
}
