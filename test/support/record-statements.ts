import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Sqlite from 'better-sqlite3';
import pg from 'pg';
import { SqliteDatabase } from './sqlite.js';

/**
 * Records the SQL statements of a release, so that tests of later releases can check that they still work on the new
 * schema. Run it once per release, on its commit:
 *
 *     node test/dist/support/record-statements.js test/fixtures/0.2.0/statements.json
 *
 * It runs the tests of the ports, and records the statements of both drivers in every process. Statements of the tests
 * themselves are included, which does no harm.
 */
export interface RecordedStatements {
  readonly postgres: readonly string[];
  readonly sqlite: readonly string[];
}

const TESTS = ['contract/postgres', 'contract/sqlite'];
const WORK = /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/i;
/** Tables of Knex, temporary ones of an import, system catalogs, and tables of tests. */
const OTHER_TABLES =
  /\b(knex_|staged|renamed_|temp\b|temp\.|pg_|sqlite_|information_schema|things|to_regclass)/i;
const TABLE = /\b(FROM|INTO|UPDATE|JOIN)\s+[a-z]/i;

const recordTo = process.env.RECORD_STATEMENTS_TO;
if (recordTo !== undefined) listen(recordTo);
else if (process.argv[1] === fileURLToPath(import.meta.url)) await record(process.argv[2] ?? '');

function listen(folder: string): void {
  const found = { postgres: new Set<string>(), sqlite: new Set<string>() };
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: Parameters<typeof query>) {
    const [statement] = args as readonly unknown[];
    const text = typeof statement === 'string' ? statement : (statement as { readonly text?: string })?.text;
    if (text !== undefined) found.postgres.add(text);
    return query.apply(this, args);
  } as typeof query;
  const { prepare } = SqliteDatabase.prototype;
  SqliteDatabase.prototype.prepare = function (this: Sqlite.Database, text: string) {
    found.sqlite.add(text);
    return prepare.call(this, text);
  } as typeof prepare;
  process.on('exit', () => {
    const lists = { postgres: [...found.postgres], sqlite: [...found.sqlite] };
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(lists));
  });
}

async function record(path: string): Promise<void> {
  if (path === '') throw new Error('Name the file to write.');
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-statements-'));
  try {
    const runner = fileURLToPath(new URL('../run.js', import.meta.url));
    const child = spawn(process.execPath, [runner, ...TESTS], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        NODE_OPTIONS: `--import=${import.meta.url}`,
        RECORD_STATEMENTS_TO: folder,
      },
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error('The tests failed, so nothing was recorded.');
    const lists = readdirSync(folder).map(
      (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as RecordedStatements,
    );
    const recorded: RecordedStatements = {
      postgres: kept(lists.flatMap(({ postgres }) => postgres)),
      sqlite: kept(lists.flatMap(({ sqlite }) => sqlite)),
    };
    writeFileSync(path, `${JSON.stringify(recorded, null, 2)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function kept(texts: readonly string[]): readonly string[] {
  const work = texts.filter((text) => WORK.test(text) && TABLE.test(text) && !OTHER_TABLES.test(text));
  return [...new Set(work.map((text) => text.replace(/\s+/g, ' ').trim()))].sort();
}
