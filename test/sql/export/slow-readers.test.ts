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
/** More than the kernel keeps for any reader. */
const large = Buffer.alloc(32 * 1024 * 1024);

/** A server of one large answer, with clients that have asked for it and read nothing. */
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
    // Its first bytes: the answer is under way.
    socket.resume();
    await once(socket, 'data');
    socket.pause();
  }
  return { port, sockets };
}

test('readers that take nothing of their answers hold up no other request', async (t) => {
  const { port } = await withReaders(t, { readers: 10, stall: 60_000 });
  const { status } = await fetch(`http://127.0.0.1:${port}/small`);
  assert.equal(status, 200);
});

test('a reader who takes nothing is waited for no longer than the limit', { timeout: 20_000 }, async (t) => {
  const { sockets } = await withReaders(t, { readers: 1, stall: 300 });
  const [socket] = sockets;
  assert.ok(socket !== undefined);
  const ended = once(socket, 'close');
  let got = 0;
  await pause(1500);
  socket
    .on('data', (data: Buffer) => {
      got += data.length;
    })
    .resume();
  await ended;
  assert.ok(got < large.length, `${got} bytes came`);
});
