import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import { type Pace, writeStreamed } from '#adapters/express/stream.js';
import {
  beginExport,
  type Chunks,
  endlessChunks,
  exportPath,
  startExporting,
} from '../support/http/streamed-export.js';
import { listen } from '../support/listen.js';
import { slowness } from '../support/slowness.js';
import { eventually } from '../support/wait.js';

describe('Readers of an export (decision 150)', () => {
  test('the server waits for a reader that pauses, and no data piles up', async (t) => {
    const endless = endlessChunks();
    const service = await startExporting(t, endless.chunks);
    const response = await beginExport(service);
    response.pause();
    let given = 0;
    for (let before = -1; given !== before; await pause(200)) [before, given] = [given, endless.given];
    assert.ok(given < 500, `${given} chunks of 64 KB`);
    response.destroy();
  });

  test('other requests are served after every chunk, even if the kernel accepts all chunks at once', async (t) => {
    const service = await startExporting(t, async function* () {
      for (let count = 0; count < 200; count += 1) yield Buffer.alloc(100, ' ');
    });
    let iterations = 0;
    const countIteration = (): void => {
      iterations += 1;
      next = setImmediate(countIteration);
    };
    let next = setImmediate(countIteration);
    assert.equal((await service.own.get(exportPath)).status, 200);
    clearImmediate(next);
    assert.ok(iterations >= 200, `${iterations} iterations of the event loop`);
  });

  test('other requests are answered while a reader reads at full speed', async (t) => {
    const endless = endlessChunks();
    const service = await startExporting(t, endless.chunks);
    const response = await beginExport(service);
    response.resume();
    for (let count = 0; count < 20; count += 1) {
      const start = performance.now();
      assert.equal((await service.client.send('GET', '/healthz')).status, 200);
      assert.ok(performance.now() - start < 1000 * slowness());
    }
    response.destroy();
  });

  const paced = async (t: TestContext, chunks: Chunks, pace: Partial<Pace>): Promise<IncomingMessage> => {
    const app = express();
    app.get('/', (request, response) =>
      writeStreamed(request, response, { before: '', chunks: chunks(), after: '', isSmall: false }, { pace }),
    );
    const server = createServer(app);
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const port = await listen(server);
    const response = await new Promise<IncomingMessage>((resolve) => httpRequest({ port }, resolve).end());
    return response.on('error', () => undefined);
  };

  test('a reader without progress is cut off, a slow one is not', async (t) => {
    const endless = endlessChunks();
    const stallMs = 1000 * slowness();
    const response = await paced(t, endless.chunks, { stallMs });
    const deadline = performance.now() + 2 * stallMs;
    while (performance.now() < deadline) {
      await pause(80);
      for (let reads = 0; reads < 100; reads += 1) await pause(0, response.read());
    }
    assert.equal(endless.isReleased, false);
    response.pause();
    await eventually(() => assert.equal(endless.isReleased, true));
  });

  test('a reader below the minimum rate is cut off, despite constant progress', async (t) => {
    for (const [minBytesPerSecond, isCutOff] of [
      [1e3, false],
      [1e9, true],
    ] as const) {
      const endless = endlessChunks();
      const slow = slowness();
      const response = await paced(t, endless.chunks, { stallMs: 600 * slow, minBytesPerSecond });
      const deadline = performance.now() + 2_500 * slow;
      while (performance.now() < deadline && !endless.isReleased) {
        await pause(80);
        for (let reads = 0; reads < 100; reads += 1) await pause(0, response.read());
      }
      assert.equal(endless.isReleased, isCutOff, `at least ${minBytesPerSecond} bytes a second`);
    }
  });

  test('an answer that takes too long in total is cut off', async (t) => {
    const endless = endlessChunks();
    const response = await paced(t, endless.chunks, { maxMs: 600 });
    const startedAt = performance.now();
    const deadline = startedAt + 5_000 * slowness();
    while (performance.now() < deadline && !endless.isReleased) {
      await pause(40);
      for (let reads = 0; reads < 100; reads += 1) await pause(0, response.read());
    }
    assert.equal(endless.isReleased, true);
    assert.ok(performance.now() - startedAt >= 600);
  });
});
