import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startPostgresServer } from '../support/postgres-server.js';
import { letGo, queueThree, startRestoreTrial, withDatabase } from '../support/restored.js';

/**
 * `pg_dump` while the service runs, and `pg_restore` into another database and into the same one, with an
 * installed PostgreSQL (Debian: postgresql): the one that tests bring along has no such programs.
 */
const execute = promisify(execFile);
const LONGEST = 60_000;
const installed = '/usr/lib/postgresql';

function installedPrograms(): string {
  const versions = existsSync(installed) ? readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : [];
  const [newest] = versions.filter((version) => existsSync(join(installed, version, 'bin', 'initdb')));
  if (newest === undefined) throw new Error(`there is no PostgreSQL in ${installed}: install postgresql`);
  return join(installed, newest, 'bin');
}

const bin = installedPrograms();
const server = await startPostgresServer({ programs: bin });
const trial = await startRestoreTrial();
try {
  const tool = (name: string, args: readonly string[]) =>
    execute(join(bin, name), [...args], { cwd: trial.cwd, timeout: LONGEST });
  const client = new pg.Client({ connectionString: server.url(), query_timeout: LONGEST });
  await client.connect();
  await client.query('CREATE DATABASE original');
  await client.query('CREATE DATABASE other');
  await client.end();
  const original = server.url('original');

  const first = await trial.prepare(original);
  await withDatabase(original, queueThree);
  await tool('pg_dump', ['--format=custom', '--file=backup', original]);
  await withDatabase(original, letGo);
  await trial.received(3);
  assert.equal((await first.stop()).code, 0);

  await tool('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${server.url('other')}`, 'backup']);
  await trial.expectHeld(server.url('other'));
  await tool('pg_restore', ['--exit-on-error', '--clean', '--no-owner', `--dbname=${original}`, 'backup']);
  await trial.expectHeld(original);
  process.stdout.write(
    `${(await tool('postgres', ['--version'])).stdout.trim()}: restored twice, nothing was sent again.\n`,
  );
} finally {
  await trial.stop();
  await server.remove();
}
