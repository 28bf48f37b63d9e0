import type { Bulk, Database, Engine, Sql, SqlValue } from '../engine/database.js';
import { listOf, raw, SQL } from '../engine/sql-text.js';
import { countOf, exists, select } from '../engine/statements.js';
import { lastIdsOf, setLastId, type Table, tablesOf, withIndexesDropped } from './tables.js';

/** Nothing was copied. The message tells people why. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}

/** How many rows of a table were copied. */
export interface TransferredTable {
  readonly table: string;
  readonly rows: number;
}

export type TransferStep = 'count' | 'finish' | 'compare';

export interface TransferOptions {
  /** Called once with the number of rows to copy. */
  readonly onTotal?: ((rows: number) => void) | undefined;
  /** Called repeatedly with the number of rows copied so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
  /** Called before each step other than copying. */
  readonly onStep?: ((step: TransferStep) => void) | undefined;
}

/** The tables that only one engine has. With SQLite, failures are counted in memory. */
const ownTables: Record<Engine, readonly string[]> = { sqlite: [], postgres: ['failure_counts'] };
/** The table that identifies this database. A copied database gets its own identity, and sends waiting deliveries. */
const DEPLOYMENT = 'deployment';
/** Tables that may have rows in an empty database that was once served. */
const bookkeepingTables = ['secret_key', 'secret_key_uses', DEPLOYMENT];
/** The approximate number of bytes in a page. */
const PAGE_BYTES = 512 * 1024;
const MAX_PAGE_ROWS = 2_000;
const FIRST_ROWS = 200;
const LOCK_TIMEOUT_MS = 2_000;

/**
 * Copies a snapshot of the database to an empty database with the same schema, in one transaction: the target gets all
 * rows or none. Compares the row counts at the end, and returns them. Memory does not grow with the database. Later
 * writes to the source are not copied. On PostgreSQL the target is then vacuumed, as after a large import. Throws
 * `TransferError`.
 */
export async function transferDatabase(
  { from, to }: { readonly from: Database; readonly to: Database },
  options: TransferOptions = {},
): Promise<readonly TransferredTable[]> {
  const copied = await to.bulk(async (target) => {
    if (target.engine === 'sqlite') await target.run('PRAGMA foreign_keys = OFF');
    return from.bulk((source) =>
      source.read(() => target.write(() => copyTables({ source, target }, options))),
    );
  });
  const vacuum = `VACUUM (SKIP_LOCKED) ${copied.map(({ table }) => table).join(', ')}`;
  if (to.engine === 'postgres')
    await to
      .bulk((target) => target.run(vacuum))
      .catch(() => {
        // Everything is copied, and through a pooler only autovacuum can do it.
      });
  return copied;
}

interface Sides {
  readonly source: Bulk;
  readonly target: Bulk;
}

async function copyTables({ source, target }: Sides, { onTotal, onRows, onStep }: TransferOptions) {
  const tables = await commonTables({ source, target });
  const names = tables.map(({ name }) => name);
  if (target.engine === 'postgres') {
    // No other client should use the target. The transfer waits for one that does no longer than this.
    await target.run(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await target.run(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  }
  await requireEmptyTarget(target, target.engine);
  await target.run('DELETE FROM secret_key');
  await target.run('DELETE FROM secret_key_uses');
  onStep?.('count');
  const expected = await rowsIn(source, tables);
  const lastIds = await lastIdsOf(source);
  onTotal?.(expected.reduce((sum, { rows }) => sum + rows, 0));

  let rows = 0;
  const copy = async (): Promise<void> => {
    for (const table of tables) {
      await copyTable({ source, target }, table, (more) => {
        rows += more;
        onRows?.(rows);
      });
    }
    onStep?.('finish');
  };
  await withIndexesDropped(target, names, copy);
  if (target.engine === 'postgres') await target.run(`ANALYZE ${names.join(', ')}`);

  onStep?.('compare');
  compare(expected, await rowsIn(target, tables));
  for (const { name } of tables) await setLastId(target, name, lastIds.get(name) ?? null);
  return expected;
}

/** Throws unless both sides have the same tables with the same columns. */
async function commonTables({ source, target }: Sides): Promise<readonly Table[]> {
  const here = await tablesOf(source, source.engine);
  const there = await tablesOf(target, target.engine);
  const common = here
    .filter(({ name }) => name !== DEPLOYMENT)
    .filter(({ name }) => source.engine === target.engine || !ownTables[source.engine].includes(name));
  for (const table of common) {
    const other = there.find(({ name }) => name === table.name);
    if (other === undefined)
      throw new TransferError(`The source has a table ${table.name}, which is not ours.`);
    if ([...other.columns].sort().join() !== [...table.columns].sort().join()) {
      throw new TransferError(`The table ${table.name} has other columns in the source than in the target.`);
    }
  }
  return common;
}

async function rowsIn(sql: Sql, tables: readonly Table[]): Promise<readonly TransferredTable[]> {
  const counts: TransferredTable[] = [];
  for (const { name } of tables) {
    counts.push({ table: name, rows: await countOf(sql)`FROM ${raw(name)}` });
  }
  return counts;
}

function compare(expected: readonly TransferredTable[], found: readonly TransferredTable[]): void {
  const wrong = expected.flatMap(({ table, rows }, index) => {
    const copied = found[index]?.rows ?? 0;
    return copied === rows ? [] : [`${table} has ${rows} rows in the source and ${copied} in the target`];
  });
  if (wrong.length > 0) throw new TransferError(`${wrong.join('; ')}.`);
}

/** Reads the next page while a page is being stored. */
async function copyTable({ source, target }: Sides, table: Table, onRows: (rows: number) => void) {
  const loaded = { table: table.name, columns: table.columns };
  let stored = Promise.resolve();
  try {
    for await (const { values, rows } of pagesOf(source, table)) {
      await stored;
      stored = target.load(loaded, values);
      // The next round awaits it.
      stored.catch(() => undefined);
      onRows(rows);
    }
  } finally {
    await stored;
  }
}

interface Page {
  readonly rows: number;
  /** The values of one row after another. */
  readonly values: readonly SqlValue[];
}

type Row = Readonly<Record<string, SqlValue>>;

/** Reads the rows in the order of the key, in pages of about the same size, whatever the size of a row. */
async function* pagesOf(source: Bulk, { name, columns, key }: Table): AsyncGenerator<Page> {
  if (key.length === 0) throw new Error(`the table ${name} has no primary key`);
  const keyColumns = raw(key.join(', '));
  let size = FIRST_ROWS;
  for (let after: Row | undefined; ; ) {
    const lastKey: readonly SqlValue[] = key.map((column) => after?.[column] ?? null);
    const rest = after === undefined ? raw('') : SQL`WHERE (${keyColumns}) > (${listOf(lastKey)})`;
    const rows: readonly Row[] = await select<Row>(source)`SELECT ${raw(columns.join(', '))} FROM ${raw(name)}
      ${rest} ORDER BY ${keyColumns} LIMIT CAST(${size} AS bigint)`;
    const last = rows.at(-1);
    if (last === undefined) return;
    const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null));
    yield { rows: rows.length, values };
    after = last;
    const bytes = Math.max(bytesOf(values) / rows.length, 1);
    size = Math.min(Math.max(Math.floor(PAGE_BYTES / bytes), 1), 2 * size, MAX_PAGE_ROWS);
  }
}

function bytesOf(values: readonly SqlValue[]): number {
  return values.reduce<number>((sum, value) => {
    return sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8);
  }, 0);
}

// ── Before a transfer ──────────────────────────────────────────────────────────────────────────────────────

/** Throws when a table other than `bookkeepingTables` has rows. The database may have no schema yet. */
export async function requireEmptyTarget(sql: Sql, engine: Engine): Promise<void> {
  const filled: string[] = [];
  for (const { name } of await tablesOf(sql, engine)) {
    if (!bookkeepingTables.includes(name) && (await exists(sql)`FROM ${raw(name)} LIMIT 1`))
      filled.push(name);
  }
  if (filled.length > 0) {
    throw new TransferError(`The target is not empty: it holds rows in ${filled.join(', ')}.`);
  }
}

/** The id of the secret key that the database was used with. Null when there is none yet. */
export async function secretKeyIdOf({ read, engine }: Database): Promise<string | null> {
  const tables = await tablesOf(read, engine);
  if (!tables.some(({ name }) => name === 'secret_key')) return null;
  const row = await read.get<{ key_id: string }>('SELECT key_id FROM secret_key');
  return row?.key_id ?? null;
}

/** Whether two connections to PostgreSQL use the same schema of the same database. */
export async function areSamePostgres(one: Database, other: Database): Promise<boolean> {
  const identity = ({ read }: Database) =>
    read.get<{ identity: string }>(
      `SELECT concat_ws('/', pg_postmaster_start_time(), current_database(), current_schema()) AS identity`,
    );
  const [here, there] = [await identity(one), await identity(other)];
  return here !== undefined && here.identity === there?.identity;
}
