import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createHttpServer } from '#adapters/express/server.js';
import { createLog } from '#adapters/node/system/log.js';
import { slowness } from '../support/slowness.js';

const CLIENTS = 4;
const PAUSE_MS = 3;
const BUSY_MS = 20;
const BUSY_EVERY_MS = 30;
const SERVERS = 6;
/** The system may suspend the process between its last check and the close: rare, unless other programs have the processors. */
const MAX_RESETS = 1;

/** Sends requests on new connections until one is refused, then reports how the requests ended. */
const client = `
  const { request } = require('node:http');
  const { parentPort, workerData: port } = require('node:worker_threads');
  const outcomes = new Set();
  const ask = () => new Promise((resolve) => {
    request({ port, host: '127.0.0.1', agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(String(answer.statusCode)));
    }).on('error', ({ code }) => resolve(code)).end();
  });
  const askAgain = async () => {
    while (!outcomes.has('ECONNREFUSED')) {
      outcomes.add(await ask());
      await new Promise((resolve) => setTimeout(resolve, ${PAUSE_MS}));
    }
  };
  Promise.all(Array.from({ length: ${CLIENTS} }, askAgain)).then(() => parentPort.postMessage([...outcomes]));`;

test('A busy server that stops answers or refuses each new connection, and resets none', {
  timeout: 240_000,
}, async () => {
  const busyTimer = setInterval(() => {
    for (const end = performance.now() + BUSY_MS; performance.now() < end; );
  }, BUSY_EVERY_MS);
  let resets = 0;
  try {
    for (let count = 0; count < SERVERS; count += 1) {
      const log = createLog({ level: 'fatal' });
      const server = createHttpServer({ handler: (_request, response) => response.end('ok'), log });
      const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
      const worker = new Worker(client, { eval: true, workerData: port });
      const ended = once(worker, 'message');
      await once(server.server, 'connection');
      await pause(200 + 7 * count);
      await server.stop();
      const [outcomes] = await ended;
      await worker.terminate();
      const others = outcomes.filter((outcome: string) => !['200', 'ECONNREFUSED'].includes(outcome));
      if (others.length > 0) resets += 1;
      if (resets > MAX_RESETS && resets > MAX_RESETS * slowness())
        assert.fail(`${resets} of ${count + 1} stops: ${others.join()}`);
    }
  } finally {
    clearInterval(busyTimer);
  }
});
