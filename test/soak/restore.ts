import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { withDatabase } from '../support/opened-database.js';
import { startPostgresServer } from '../support/postgres-server.js';
import { freeSlots, queueThree, startRestoreTrial } from '../support/restored.js';

/**
 * PostgreSQL: runs `pg_dump` while the service runs, and `pg_restore` into another database and into the same one. This
 * needs an installed PostgreSQL (Debian: postgresql), because the one of the tests lacks these programs. SQLite: kills
 * the server and moves the folder of its database again and again; each event must be received exactly once.
 */
const execute = promisify(execFile);
const TIMEOUT_MS = 60_000;
const installed = '/usr/lib/postgresql';

function installedPrograms(): string {
  const versions = existsSync(installed) ? readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : [];
  const [newest] = versions.filter((version) => existsSync(join(installed, version, 'bin', 'initdb')));
  if (newest === undefined)
    throw new Error(`PostgreSQL is not installed in ${installed}; install it (apt-get install postgresql)`);
  return join(installed, newest, 'bin');
}

/** The number of times that the folder is moved. */
const MOVES = 6;

async function moveRepeatedly(): Promise<void> {
  const trial = await startRestoreTrial();
  try {
    const folder = (move: number): string => join(trial.cwd, `data-${move}`);
    const url = (move: number): string => `sqlite:${join(folder(move), 'rollcall.db')}`;
    mkdirSync(folder(0));
    let server = await trial.prepare(url(0));
    for (let move = 1; move <= MOVES; move += 1) {
      await withDatabase(url(move - 1), (database) => queueThree(database, move * 10));
      await server.stop(move % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
      // Alternates between a rename and a copy, as to another disk, where the old folder may stay.
      if (move % 3 === 0) renameSync(folder(move - 1), folder(move));
      else cpSync(folder(move - 1), folder(move), { recursive: true });
      if (move % 3 === 1) rmSync(folder(move - 1), { recursive: true });
      await withDatabase(url(move), freeSlots);
      ({ server } = await trial.serve(url(move)));
      await trial.received(move * 3);
    }
    await server.stop();
    // A server on an old folder sends nothing.
    const left = Array.from({ length: MOVES }, (_, move) => move).filter((move) => existsSync(folder(move)));
    for (const move of left) {
      const { server: again } = await trial.serve(url(move));
      await again.see(/"msg":"This database was restored or copied: /);
      await pause(2_500);
      await again.stop();
    }
    const ids = trial.receiver.requests.map(({ body }) => body.toString());
    assert.deepEqual([ids.length, new Set(ids).size], [MOVES * 3, MOVES * 3]);
    process.stdout.write(
      `SQLite: moved ${MOVES} times; ${ids.length} events were received once each; servers on ${left.length} old folders sent none.\n`,
    );
  } finally {
    await trial.stop();
  }
}

await moveRepeatedly();

const bin = installedPrograms();
const server = await startPostgresServer({ programs: bin });
const trial = await startRestoreTrial();
try {
  const tool = (name: string, args: readonly string[]) =>
    execute(join(bin, name), [...args], { cwd: trial.cwd, timeout: TIMEOUT_MS });
  const client = new pg.Client({ connectionString: server.url(), query_timeout: TIMEOUT_MS });
  await client.connect();
  await client.query('CREATE DATABASE original');
  await client.query('CREATE DATABASE other');
  await client.end();
  const original = server.url('original');

  const first = await trial.prepare(original);
  await withDatabase(original, (database) => queueThree(database));
  await tool('pg_dump', ['--format=custom', '--file=backup', original]);
  await withDatabase(original, freeSlots);
  await trial.received(3);
  assert.equal((await first.stop()).code, 0);

  await tool('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${server.url('other')}`, 'backup']);
  await trial.expectHeld(server.url('other'));
  await tool('pg_restore', ['--exit-on-error', '--clean', '--no-owner', `--dbname=${original}`, 'backup']);
  await trial.expectHeld(original);
  process.stdout.write(
    `${(await tool('postgres', ['--version'])).stdout.trim()}: restored twice; nothing was sent again.\n`,
  );
} finally {
  await trial.stop();
  await server.remove();
}
