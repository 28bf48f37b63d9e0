import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/http/wait.js';
import { startPostgresUrl } from '../support/postgres.js';
import {
  freeSlots,
  queueThree,
  type RestoreTrial,
  startRestoreTrial,
  withDatabase,
} from '../support/restored.js';
import { SqliteDatabase } from '../support/sqlite.js';

let trial: RestoreTrial;

const sqliteUrl = (): string => `sqlite:${join(trial.cwd, 'rollcall.db')}`;

describe('Restored and moved databases', () => {
  beforeEach(async () => {
    trial = await startRestoreTrial();
  });
  afterEach(() => trial.stop());

  // A restore is recognized by the number of claims in the file next to the original.
  test('a restored SQLite backup, made while serving, does not resend what the original has sent', async () => {
    const server = await trial.prepare(sqliteUrl());
    const claims = (): number =>
      Number(readFileSync(join(trial.cwd, 'rollcall.db.deployment'), 'utf8').trim().split(' ')[1]);
    assert.equal(claims(), 0);
    await withDatabase(sqliteUrl(), async (database) => {
      await queueThree(database);
      const backup = new SqliteDatabase(join(trial.cwd, 'rollcall.db'), { timeout: 5_000 });
      backup.exec(`VACUUM INTO '${join(trial.cwd, 'copy.db')}'`);
      backup.close();
      await freeSlots(database);
      await trial.received(3);
      await eventually(() => assert.ok(claims() > 0, `${claims()} claims`));
    });
    assert.equal((await server.stop()).code, 0);

    mkdirSync(join(trial.cwd, 'elsewhere'));
    copyFileSync(join(trial.cwd, 'copy.db'), join(trial.cwd, 'elsewhere', 'rollcall.db'));
    await trial.expectHeld(`sqlite:${join(trial.cwd, 'elsewhere', 'rollcall.db')}`);
  });

  test('a copied PostgreSQL database does not resend what the original has sent', async (t) => {
    const original = await startPostgresUrl({ migrated: false });
    t.after(() => original.stop());
    const server = await trial.prepare(original.url);
    await withDatabase(original.url, (database) => queueThree(database));
    assert.equal((await server.stop()).code, 0);
    const template = new URL(original.url).pathname.slice(1);
    const copy = await startPostgresUrl({ migrated: false, template });
    try {
      await withDatabase(original.url, freeSlots);
      const { server: second } = await trial.serve(original.url);
      await trial.received(3);
      assert.equal((await second.stop()).code, 0);
      await trial.expectHeld(copy.url);
    } finally {
      await copy.stop();
    }
  });

  test('a folder moved after a crash sends its pending events exactly once, even if it is moved back', async () => {
    const url = (folder: string): string => `sqlite:${join(trial.cwd, folder, 'rollcall.db')}`;
    mkdirSync(join(trial.cwd, 'data'));
    const server = await trial.prepare(url('data'));
    await withDatabase(url('data'), (database) => queueThree(database));
    await server.stop('SIGKILL');
    cpSync(join(trial.cwd, 'data'), join(trial.cwd, 'moved'), { recursive: true });
    rmSync(join(trial.cwd, 'data'), { recursive: true });
    await withDatabase(url('moved'), freeSlots);
    const { server: second } = await trial.serve(url('moved'));
    await second.see(/"msg":"This database was moved here/);
    await trial.received(3);
    assert.equal((await second.stop()).code, 0);
    renameSync(join(trial.cwd, 'moved'), join(trial.cwd, 'data'));
    await trial.serve(url('data'));
    await pause(1_500);
    assert.equal(trial.receiver.requests.length, 3);
  });

  test('"deliveries hold" holds pending events for a restore that was not recognized, and "release --drop" drops them', async () => {
    const server = await trial.prepare(sqliteUrl());
    await server.stop();
    await withDatabase(sqliteUrl(), (database) => queueThree(database));
    const json = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await trial.run([...args, '--json'], sqliteUrl());
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    assert.deepEqual(await json('deliveries', 'hold'), { held: 7 });
    await trial.serve(sqliteUrl());
    assert.deepEqual(await json('deliveries', 'release', '--drop'), { dropped: 7 });
    const { deliveries } = await json('deliveries', 'list', '--state', 'skipped');
    assert.deepEqual([deliveries.length, deliveries[0].result], [7, 'dropped while it was held']);
    await pause(1_500);
    assert.equal(trial.receiver.requests.length, 0);
  });
});
