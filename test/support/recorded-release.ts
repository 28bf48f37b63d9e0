import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import pg from 'pg';
import { type Running, type RunOptions, startEarlierProgram } from './app-cli.js';
import { type OpenedDatabase, openedDatabase } from './opened-database.js';
import { startPostgresUrl } from './postgres.js';
import { SqliteDatabase } from './sqlite.js';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const installed = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** The releases whose database and API were recorded in `test/fixtures`, for example `0.1.0`. */
export const releases: readonly string[] = readdirSync(fixtures, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** The secret key, the access key of organization 1 and the password of its owner in every recorded database. */
export const recordedSecrets = {
  secretKey: 'the secret key of the recorded databases',
  accessKey: '1'.repeat(24),
  password: 'correct horse battery staple',
};

export function recordedFile(release: string, name: string): string {
  return readFileSync(join(fixtures, release, name), 'utf8');
}

/** Creates the database of a release with its rows. It is not migrated. */
export const startRecorded = {
  async sqlite(release: string): Promise<OpenedDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-recorded-'));
    const file = join(folder, 'rollcall.db');
    const created = new SqliteDatabase(file);
    created.exec('PRAGMA journal_mode = WAL');
    created.exec(recordedFile(release, 'sqlite.sql'));
    created.close();
    return openedDatabase(`sqlite:${file}`, () => rmSync(folder, { recursive: true, force: true }));
  },

  async postgres(release: string): Promise<OpenedDatabase> {
    const { url, stop } = await startPostgresUrl({ migrated: false });
    const client = new pg.Client({ connectionString: url, query_timeout: 60_000 });
    await client.connect();
    await client.query(recordedFile(release, 'postgres.sql'));
    await client.end();
    return openedDatabase(url, stop);
  },
};

/**
 * Starts `rollcall serve` of a release in the directory `cwd`, and resolves when it listens. Its native package is the
 * installed one.
 */
export async function startRecordedProgram(release: string, options: RunOptions): Promise<Running> {
  const file = join(options.cwd, `rollcall-${release}.mjs`);
  writeFileSync(file, brotliDecompressSync(readFileSync(join(fixtures, release, 'program.mjs.br'))));
  symlinkSync(installed, join(options.cwd, 'node_modules'), 'junction');
  const program = startEarlierProgram(file, options);
  await program.see(/"msg":"Listening"/).catch((error: unknown) => {
    program.child.kill('SIGKILL');
    throw error;
  });
  return program;
}
