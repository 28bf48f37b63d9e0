import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import express, { type ErrorRequestHandler } from 'express';
import { pino } from 'pino';
import { HttpError } from '#adapters/express/errors.js';
import { receive } from '#adapters/express/receive.js';
import { createHttpServer } from '#adapters/express/server.js';

const log = pino({ level: 'silent' });
/** More than the socket buffers of the kernel hold. */
const large = Buffer.alloc(32 * 1024 * 1024);

/**
 * Starts a server with one large response, and clients that have requested it but read no more than its first bytes.
 */
async function withReaders(
  t: TestContext,
  { readers, stall }: { readonly readers: number; readonly stall: number },
): Promise<{ readonly port: number; readonly sockets: readonly Socket[] }> {
  const refuse: ErrorRequestHandler = (error, _request, response, _next) =>
    response.writeHead(error instanceof HttpError ? 503 : 500).end();
  const handler = express()
    .use(receive({ log, publicUrl: 'http://localhost', maxRequests: 2 }))
    .use((request, response) => response.end(request.url === '/large' ? large : 'small'))
    .use(refuse);
  const { listen, stop } = createHttpServer({
    log,
    timeouts: { stall, stop: 100 },
    handler,
  });
  const { port } = await listen({ port: 0, host: '127.0.0.1' });
  const sockets = Array.from({ length: readers }, () => connect(port, '127.0.0.1').pause());
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await stop();
  });
  for (const socket of sockets) {
    socket.on('error', () => undefined).write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    // The first bytes have arrived: the response is under way.
    socket.resume();
    await once(socket, 'data');
    socket.pause();
  }
  return { port, sockets };
}

test('clients that do not read their responses delay no other request', async (t) => {
  const { port } = await withReaders(t, { readers: 10, stall: 60_000 });
  const { status } = await fetch(`http://127.0.0.1:${port}/small`);
  assert.equal(status, 200);
});

test('a client that does not read its response is disconnected after the time limit', {
  timeout: 240_000,
}, async (t) => {
  const { sockets } = await withReaders(t, { readers: 1, stall: 300 });
  const [socket] = sockets;
  assert.ok(socket !== undefined);
  const ended = once(socket, 'close');
  let received = 0;
  await pause(1500);
  socket
    .on('data', (data: Buffer) => {
      received += data.length;
    })
    .resume();
  await ended;
  assert.ok(received < large.length, `${received} bytes were received`);
});
