import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createImportThreads } from '#app/dataset/import-threads.js';
import { startSqliteDatabase } from '../support/storage.js';
import { testSecretKey } from '../support/test-service.js';

const PIECES = 400;
const PIECE_BYTES = 65_536;

/** A piece as large as those from a socket. */
function pieceOfLines(): Buffer {
  const line = JSON.stringify({ kind: 'organization', id: 1, name: 'Northwind' });
  return Buffer.from(`${line.padEnd(PIECE_BYTES / 4 - 1)}\n`.repeat(4));
}

describe('Threads of imports', () => {
  test('the thread that answers requests has no memory to collect for the bytes that it passes on', async () => {
    const { file, stop } = await startSqliteDatabase();
    const threads = createImportThreads({
      ...{
        databaseUrl: `sqlite:${file}`,
        databaseOptions: {},
        secretKey: testSecretKey,
        previousSecretKeys: [],
      },
      locations: ['zoom', 'third-party'],
    });
    const piece = pieceOfLines();
    const before = process.memoryUsage().external;
    let most = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < PIECES; count += 1) {
        yield piece;
        most = Math.max(most, process.memoryUsage().external - before);
      }
    }
    try {
      const at = new Date('2026-11-20T12:00:00Z');
      const { records } = await threads.run({
        request: { at, from: null, isDryRun: true, idempotencyKey: null, forgottenBefore: at },
        ...{ source: source(), fingerprint: () => 'none', signal: new AbortController().signal },
      });
      assert.equal(records, 4 * PIECES);
      assert.ok(most < (PIECES * PIECE_BYTES) / 4, `${most} bytes after ${PIECES} pieces`);
    } finally {
      await threads.stop();
      await stop();
    }
  });
});
