import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parseReplies } from '../support/http/client.js';
import { health, outcome, startFor } from '../support/http/raw.js';
import { apiBase, startHttpService } from '../support/http/service.js';
import { slowness } from '../support/slowness.js';
import { eventually, gate } from '../support/wait.js';

describe('Stopping', () => {
  test('requests that wait when the server stops are answered', async () => {
    const service = await startHttpService();
    const { id, token } = await service.organization();
    const held = gate();
    service.replace('webhooks', { of: held.pass });
    const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const answers = service.client.raw(head.repeat(3));
    // The first request begins once everything that arrived with it has been read.
    await held.reached(1);
    const stopped = service.stop();
    held.release();
    const replies = parseReplies(await answers);
    assert.deepEqual(
      replies.map((reply) => [outcome(reply), reply.headers.connection]),
      [
        ['200 undefined', 'keep-alive'],
        ['200 undefined', 'keep-alive'],
        ['200 undefined', 'close'],
      ],
    );
    await stopped;
  });

  test('finishes current requests, closes idle connections and accepts no more', async () => {
    const service = await startHttpService();
    const { get } = await service.organization();
    await get('/webhook');
    const held = gate();
    service.replace('webhooks', { of: held.pass });
    const inProgress = get('/webhook');
    await held.reached(1);
    const stopped = service.server.stop();
    // Connections that are being made are still accepted for a short time.
    await eventually(() => assert.equal(service.server.server.listening, false));
    await assert.rejects(service.client.raw(health), { code: 'ECONNREFUSED' });
    held.release();
    const { status, headers } = await inProgress;
    assert.deepEqual([status, headers.connection], [200, 'close']);
    const start = performance.now();
    await stopped;
    assert.ok(performance.now() - start < 3000 * slowness());
  });

  test('closes the connection of an answer that had begun as soon as the answer ends', async () => {
    const service = await startHttpService({ timeouts: { keepAlive: 60_000 } });
    const { get } = await service.organization();
    const held = gate();
    const chunks = async function* () {
      yield Buffer.from('{"name":"a"}');
      await held.pass();
    };
    service.replace('meetings', { export: async () => ({ total: null, chunks: chunks() }) });
    const inProgress = get('/export_meetings?column=name');
    await held.reached(1);
    const stopped = service.server.stop();
    held.release();
    assert.equal((await inProgress).status, 200);
    const start = performance.now();
    await stopped;
    assert.ok(performance.now() - start < 3000 * slowness());
  });

  test('answers one more request on an idle connection, and announces that it is the last one', async () => {
    const service = await startHttpService();
    const { get } = await service.organization();
    assert.equal((await get('/webhook')).headers.connection, 'keep-alive');
    const stopped = service.server.stop();
    await eventually(() => assert.equal(service.server.server.listening, false));
    const { status, headers } = await get('/webhook');
    assert.deepEqual([status, headers.connection], [200, 'close']);
    await stopped;
  });

  test('keeps an idle connection for the announced time', async () => {
    const service = await startHttpService({ timeouts: { lastRequests: 1500 } });
    const { get } = await service.organization();
    await get('/webhook');
    const begin = performance.now();
    const stopped = service.server.stop();
    await pause(1000);
    assert.equal((await get('/webhook')).status, 200);
    await stopped;
    assert.ok(performance.now() - begin < 3000 * slowness());
  });

  test('announced while the server still listens, makes every answer the last one on its connection', async (t) => {
    const service = await startFor(t);
    const { get } = await service.organization();
    await get('/webhook');
    service.server.announceStop();
    for (const _again of [1, 2]) {
      const { status, headers } = await get('/webhook');
      assert.deepEqual([status, headers.connection], [200, 'close']);
    }
    assert.ok(service.server.server.listening);
  });

  test('cuts off requests that take too long', async () => {
    const service = await startHttpService({ timeouts: { stop: 100 } });
    const { get } = await service.organization();
    const held = gate();
    service.replace('webhooks', { of: held.pass });
    const inProgress = assert.rejects(get('/webhook'));
    await held.reached(1);
    await service.server.stop();
    await inProgress;
  });

  test('a server reports why it cannot listen', async (t) => {
    const service = await startFor(t);
    const other = await startHttpService();
    t.after(() => service.client.close());
    await other.server.stop();
    await assert.rejects(other.server.listen({ port: service.client.port, host: '127.0.0.1' }), {
      code: 'EADDRINUSE',
    });
  });

  test('a connection is kept for further requests, and is closed when it is idle', async (t) => {
    const service = await startFor(t, { timeouts: { keepAlive: 2000 } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let count = 0; count < 3; count += 1) {
      await new Promise((resolve) => {
        request({ port: service.client.port, path: '/healthz', agent }, (response) => {
          ports.add(response.socket.localPort);
          response.resume().on('end', () => setImmediate(resolve));
        }).end();
      });
    }
    assert.equal(ports.size, 1);
    agent.destroy();
  });

  test('an idle connection stays open for a second longer than each answer says, on every Node', async (t) => {
    const service = await startFor(t, { timeouts: { keepAlive: 1000 } });
    const begin = performance.now();
    const [reply] = parseReplies(await service.client.raw(`${health}\r\n`));
    const openMs = performance.now() - begin;
    assert.equal(reply?.headers['keep-alive'], 'timeout=1');
    assert.ok(openMs >= 1900 && openMs < 8000 * slowness(), `${openMs} ms`);
  });
});
