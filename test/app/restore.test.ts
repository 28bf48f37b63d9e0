import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { withDatabase } from '../support/opened-database.js';
import { queueThree, type RestoreTrial, startRestoreTrial } from '../support/restored.js';

let trial: RestoreTrial;

const sqliteUrl = (): string => `sqlite:${join(trial.cwd, 'rollcall.db')}`;

describe('Restored and moved databases', () => {
  beforeEach(async () => {
    trial = await startRestoreTrial();
  });
  afterEach(() => trial.stop());

  test('"deliveries hold" holds pending events for a restore that was not recognized, and "release --drop" drops them', async () => {
    const server = await trial.prepare(sqliteUrl());
    await server.stop();
    await withDatabase(sqliteUrl(), async (database) => {
      await queueThree(database);
      await database.write(async (sql) => {
        await sql.run('DELETE FROM meeting_clock');
        await sql.run('INSERT INTO meeting_clock (id, last_at) VALUES (1, ?)', [new Date(0)]);
      });
    });
    const json = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await trial.run([...args, '--json'], sqliteUrl());
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    assert.deepEqual(await json('deliveries', 'hold'), { held: 7 });
    // Places of readers in what is lost are not valid any more.
    await withDatabase(sqliteUrl(), async ({ read }) => {
      const clock = await read.get<{ cuts: string }>('SELECT cuts FROM meeting_clock');
      assert.equal(clock?.cuts, JSON.stringify([new Date(0)]));
    });
    await trial.serve(sqliteUrl());
    assert.deepEqual(await json('deliveries', 'release', '--drop'), { dropped: 7 });
    const { deliveries } = await json('deliveries', 'list', '--state', 'skipped');
    assert.deepEqual([deliveries.length, deliveries[0].result], [7, 'dropped while it was held']);
    await pause(1_500);
    assert.equal(trial.receiver.requests.length, 0);
  });
});
