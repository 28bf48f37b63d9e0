import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { openDatabase } from '#adapters/sql/index.js';
import { startPostgresUrl } from '../../support/postgres.js';
import { slowness } from '../../support/slowness.js';
import { startSqliteDatabase } from '../../support/storage.js';

const starts = {
  async sqlite() {
    const { file, stop } = await startSqliteDatabase();
    return { url: `sqlite:${file}`, stop };
  },
  postgres: () => startPostgresUrl({ migrated: false }),
};

for (const [engine, start] of Object.entries(starts)) {
  describe(`Waiting exports over ${engine}`, () => {
    test('are limited to 32: one more is refused at once, and the others all run', async () => {
      const { url, stop } = await start();
      const database = await openDatabase(url, { exports: 2 });
      try {
        const held = await Promise.all([database.snapshot(), database.snapshot()]);
        let served = 0;
        const waiting = Array.from({ length: 32 }, async () => {
          const snapshot = await database.snapshot();
          served += 1;
          await snapshot.release();
        });
        const startedAt = performance.now();
        await assert.rejects(database.snapshot(), Unavailable);
        assert.ok(performance.now() - startedAt < 1_000 * slowness());
        assert.equal(served, 0);
        for (const snapshot of held) await snapshot.release();
        await Promise.all(waiting);
        assert.equal(served, 32);
        await (await database.snapshot()).release();
      } finally {
        await database.close();
        await stop();
      }
    });
  });
}
