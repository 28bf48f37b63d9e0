import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { type Migration, migrations } from '#adapters/sql/migrations/index.js';
import { SqliteDatabase } from './sqlite.js';

/**
 * Records the database of a release as SQL, so that later releases can migrate and serve it. Run it once per release,
 * on its commit, with an SQLite database that has rows in every table:
 *
 *     node test/dist/support/record-database.js rollcall.db test/fixtures/0.1.0
 *
 * `sqlite.sql` has the schema as it is stored. `postgres.sql` has the statements of the release's own migrations, and
 * the same rows.
 */
export interface RecordDatabase {
  readonly file: string;
  readonly folder: string;
  readonly released: readonly Pick<Migration, 'name' | 'up'>[];
}

interface StoredTable {
  readonly name: string;
  readonly sql: string;
}

export async function recordDatabase({ file, folder, released }: RecordDatabase): Promise<void> {
  const database = new SqliteDatabase(file, { readonly: true });
  try {
    const schema = database
      .prepare(
        `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`,
      )
      .all() as readonly (StoredTable & { readonly type: string })[];
    const tables = schema.filter(({ type }) => type === 'table');
    const rowsOf = (name: string) =>
      database.prepare(`SELECT * FROM ${name}`).all() as readonly Readonly<Record<string, unknown>>[];
    const sequences = rowsOf('sqlite_sequence');
    const sqlite = [
      ...tables.map(({ sql }) => sql),
      ...tables.flatMap(({ name }) => rowsOf(name).map((row) => insertion(name, row, literal))),
      'DELETE FROM sqlite_sequence',
      ...sequences.map((row) => insertion('sqlite_sequence', row, literal)),
      // After the rows, because triggers would write some of them again.
      ...schema.filter(({ type }) => type !== 'table').map(({ sql }) => sql),
    ];
    const own = tables.filter(({ name }) => !name.startsWith('rollcall_') && name !== COUNTED);
    const postgres = [
      ...(await statementsOf(released)),
      ...own.flatMap((table) =>
        rowsOf(table.name).map((row) => insertion(table.name, row, literalIn(table))),
      ),
      ...sequences
        .filter(({ name }) => !String(name).startsWith('rollcall_'))
        .map(({ name, seq }) => `SELECT setval(pg_get_serial_sequence('${name}', 'id'), ${seq})`),
      ONLY_ON_POSTGRES,
      ...MIGRATIONS,
      ...released.map(
        ({ name }) =>
          `INSERT INTO rollcall_migrations (name, batch, migration_time) VALUES ('${name}', 1, '2026-11-20T12:00:00.000Z')`,
      ),
    ];
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'sqlite.sql'), textOf(sqlite));
    writeFileSync(join(folder, 'postgres.sql'), textOf(postgres));
  } finally {
    database.close();
  }
}

/** Filled by triggers on PostgreSQL. */
const COUNTED = 'complete_meeting_counts';

/** A table that SQLite does not need. */
const ONLY_ON_POSTGRES =
  "INSERT INTO failure_counts (counter, failures, ends_at) VALUES ('recorded', 3, '2096-11-20T18:00:00.000Z')";

const MIGRATIONS = [
  'CREATE TABLE rollcall_migrations (id serial PRIMARY KEY, name varchar(255), batch integer, migration_time timestamptz)',
  'CREATE TABLE rollcall_migrations_lock (index serial PRIMARY KEY, is_locked integer)',
  'INSERT INTO rollcall_migrations_lock (is_locked) VALUES (0)',
];

/** The statements that the migrations run on an empty database. */
async function statementsOf(released: RecordDatabase['released']): Promise<readonly string[]> {
  const statements: string[] = [];
  const raw = async (text: string): Promise<unknown> => {
    statements.push(text);
    return { rows: [], rowCount: 0 };
  };
  for (const { up } of released) await up.postgres({ raw } as unknown as Knex);
  return statements;
}

type Literal = (value: unknown, column: string) => string;

function insertion(table: string, row: Readonly<Record<string, unknown>>, literalOf: Literal): string {
  const values = Object.entries(row).map(([column, value]) => literalOf(value, column));
  const columns = Object.keys(row).map((column) => `"${column}"`);
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`;
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** PostgreSQL has booleans where SQLite has 0 and 1. */
function literalIn({ sql }: StoredTable): Literal {
  const booleans = new Set([...sql.matchAll(/\b(\w+) INTEGER[^,\n]* IN \(0, 1\)/g)].map(([, name]) => name));
  return (value, column) =>
    booleans.has(column) && value !== null ? String(Boolean(value)) : literal(value);
}

function textOf(statements: readonly string[]): string {
  return statements.map((statement) => `${statement};\n`).join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , file, folder] = process.argv;
  if (file === undefined || folder === undefined) throw new Error('Name the database and the folder.');
  await recordDatabase({ file, folder, released: migrations });
}
