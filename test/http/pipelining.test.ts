import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { testUuid } from '@rollcall/core/testing';
import { parseReplies } from '../support/http/client.js';
import { close, health, outcome, outcomes, startFor } from '../support/http/raw.js';
import { apiBase } from '../support/http/service.js';
import { slowness } from '../support/slowness.js';
import { eventually, gate } from '../support/wait.js';

describe('Pipelined requests (trap 9)', () => {
  test('pipelined requests are answered in their order', async (t) => {
    const service = await startFor(t);
    const text = await service.client.raw(
      `${health}\r\nGET /nothing HTTP/1.1\r\nHost: a\r\n\r\n${health}${close}`,
    );
    assert.deepEqual(parseReplies(text).map(outcome), ['200 undefined', '404 unknown-path', '200 undefined']);
  });

  test('a body that turns invalid while its request is being answered is refused once', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    const held = gate();
    service.replace('members', { byUuid: held.pass });
    const path = `${apiBase}/organizations/${id}/users/${testUuid(1)}/generate_otl_url`;
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    assert.deepEqual(await outcomes(service, head, 'zz\r\n', 'more'), ['400 invalid-request']);
    held.release();
    await pause(50);
    assert.deepEqual(service.reports, []);
    assert.equal((await service.client.send('GET', '/healthz')).status, 200);
  });

  const MAX_UNANSWERED = 32;

  test('32 requests of one connection may wait for their answers', async (t) => {
    const service = await startFor(t);
    const text = await service.client.raw(`${health}\r\n`.repeat(MAX_UNANSWERED - 1) + health + close);
    assert.deepEqual(parseReplies(text).map(outcome), Array(MAX_UNANSWERED).fill('200 undefined'));
  });

  test('any number of requests may follow if the client reads the answers', async (t) => {
    const service = await startFor(t);
    const socket = connect(service.client.port, '127.0.0.1');
    t.after(() => socket.destroy());
    let read = '';
    socket.setEncoding('latin1').on('data', (text) => {
      read += text;
    });
    for (let round = 1; round <= 5; round += 1) {
      socket.write(`${health}\r\n`.repeat(20));
      await eventually(() => assert.equal(read.split('HTTP/1.1 200').length - 1, 20 * round));
    }
  });

  test('the 33rd closes the connection, and no request on it causes any work', async (t) => {
    let checks = 0;
    const service = await startFor(t, {
      app: {
        ready: async () => {
          checks += 1;
          return pause(100, []);
        },
      },
    });
    const ready = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';
    assert.equal(await service.client.raw(ready.repeat(3000)), '');
    assert.equal(checks, 0);
    assert.equal((await service.client.send('GET', '/healthz')).status, 200);
  });

  test('the 33rd closes the connection even if each request is in its own packet', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    const held = gate();
    t.after(() => held.release());
    service.replace('webhooks', { of: held.pass });
    const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const begin = performance.now();
    assert.equal(await service.client.raw(...Array(MAX_UNANSWERED + 1).fill(head)), '');
    assert.ok(performance.now() - begin < 10_000 * slowness());
  });

  test('a refused connection that keeps sending is closed at once', async (t) => {
    const service = await startFor(t);
    const begin = performance.now();
    await service.client.raw(`GET / HTTP/1.1\r\n\r\n${`${health}\r\n`.repeat(100)}`);
    assert.ok(
      performance.now() - begin < 800 * slowness(),
      'it was kept open as long as one that reads the answer',
    );
  });

  test('floods write few lines to the log, which count all closed connections', async (t) => {
    const service = await startFor(t, { timeouts: { logWindow: 3000 } });
    const flood = `${health}\r\n`.repeat(100);
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(Array.from({ length: 5 }, () => service.client.raw(flood)));
    }
    const floodLines = () => service.lines.filter(({ msg }) => String(msg).startsWith('Connection'));
    await eventually(() =>
      assert.equal(
        floodLines().reduce((sum, { connections }) => sum + Number(connections), 0),
        30,
      ),
    );
    assert.ok(floodLines().length < 30, `${floodLines().length} lines`);
    const requests = service.lines.filter(({ msg }) => msg === 'request');
    assert.equal(requests.length, 0, 'requests of a flood began');
    const [{ level, address, msg } = {}] = floodLines();
    assert.deepEqual(
      { level, address, msg },
      {
        level: 40,
        address: '127.0.0.1',
        msg: 'Connection closed: more than 32 requests without an answer',
      },
    );
  });

  test('requests of a flood that began with a valid token are in the log', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    const held = gate();
    t.after(held.release);
    service.replace('webhooks', { of: held.pass });
    const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const socket = connect(service.client.port, '127.0.0.1', () => socket.write(head));
    socket.on('error', () => undefined);
    await held.reached(1);
    socket.write(head.repeat(MAX_UNANSWERED));
    await eventually(() =>
      assert.deepEqual(
        service.lines.map(({ organizationId, cutOff, level }) => [organizationId, cutOff, level]),
        [
          [undefined, undefined, 40],
          [id, true, 30],
        ],
      ),
    );
  });

  test('requests with bodies that arrive together begin one after the other', async (t) => {
    const service = await startFor(t);
    const body =
      'POST /api/v2/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n';
    const flood = parseReplies(await service.client.raw(`${body}\r\n{}`.repeat(500)));
    assert.ok(flood.length <= 1, `${flood.length} were answered`);
    const text = await service.client.raw(
      `${`${body}\r\n{}`.repeat(MAX_UNANSWERED - 1)}${body}Connection: close\r\n\r\n{}`,
    );
    assert.deepEqual(parseReplies(text).map(outcome), Array(MAX_UNANSWERED).fill('401 invalid-access-key'));
  });

  test('an answer begins when the one before it has ended', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    let inProgress = 0;
    const counts: number[] = [];
    service.replace('webhooks', {
      of: async () => {
        inProgress += 1;
        counts.push(inProgress);
        await pause(20);
        inProgress -= 1;
        return null;
      },
    });
    const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`;
    const text = await service.client.raw(`${head}\r\n`.repeat(4) + head + close);
    assert.deepEqual(parseReplies(text).map(outcome), Array(5).fill('200 undefined'));
    assert.deepEqual(counts, [1, 1, 1, 1, 1]);
  });

  test('an invalid body after other requests is refused after they are answered', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    service.replace('webhooks', { of: () => pause(50, null) });
    const path = `${apiBase}/organizations/${id}`;
    const head = `GET ${path}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const broken = `POST ${path}/invite_user HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
    const text = await service.client.raw(head + head + broken);
    assert.deepEqual(parseReplies(text).map(outcome), [
      '200 undefined',
      '200 undefined',
      '400 invalid-request',
    ]);
  });

  test('clients that disconnect while requests wait do not affect others', async (t) => {
    const service = await startFor(t, { app: { maxRequests: 20, ready: () => pause(50, []) } });
    for (let round = 0; round < 10; round += 1) {
      const socket = connect(service.client.port, '127.0.0.1', () =>
        socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30)),
      );
      await pause(20);
      socket.destroy();
    }
    await pause(200);
    assert.equal((await service.client.send('GET', '/openapi.json')).status, 200);
  });

  test('garbage after a request is refused after the request is answered', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    service.replace('webhooks', { of: () => pause(100, null) });
    const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const text = await service.client.raw(`${head}garbage\r\n\r\n`, 'more garbage');
    assert.deepEqual(parseReplies(text).map(outcome), ['200 undefined', '400 invalid-request']);
  });
});
