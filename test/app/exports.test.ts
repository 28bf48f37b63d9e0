import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tryExports } from '../support/export-trial.js';
import { startPostgresUrl } from '../support/postgres.js';

const MEETINGS = 8_000;

const startDatabase = {
  sqlite: async () => ({ stop: async () => {} }),
  postgres: () => startPostgresUrl({ migrated: false }),
};

for (const [engine, start] of Object.entries(startDatabase)) {
  describe(`Exports over ${engine} under load`, () => {
    test('eight slow readers each get a snapshot of their start, and readers that disconnect leave nothing behind', {
      timeout: 240_000,
    }, async () => {
      const database = await start();
      try {
        const trial = await tryExports({ ...database, meetings: MEETINGS });
        assert.equal(trial.before.isComplete, true);
        assert.ok(trial.before.bytes > 500 * MEETINGS);
        assert.equal(trial.eight.length, 8);
        assert.deepEqual(trial.eight, trial.beforeEach);
        assert.equal(trial.namesAfter.length, MEETINGS);
        assert.deepEqual(trial.namesAfter.slice(-3), [`Meeting ${MEETINGS - 2}`, 'Changed', 'Added']);
        assert.equal(trial.left, 8);
        assert.equal(trial.exitCode, 0);
        // A reader buffers 5 MB if it is not paced.
        assert.ok(!(trial.added > 30), `${trial.added} MB more`);
      } finally {
        await database.stop();
      }
    });
  });
}
