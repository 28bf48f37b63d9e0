import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { outcomes, startFor } from '../support/http/raw.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { apiBase } from '../support/http/service.js';
import { eventually } from '../support/wait.js';

describe('Slow clients (trap 9)', () => {
  const timeouts = { headers: 200, request: 400, check: 50 };
  const body = `POST ${apiBase}/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;

  test('a head that does not arrive in time: 408', async (t) => {
    assert.deepEqual(await outcomes(await startFor(t, { timeouts }), 'GET /healthz HT'), [
      '408 request-timeout',
    ]);
  });

  test('a body that does not arrive in time: 408', async (t) => {
    const service = await startFor(t, { timeouts });
    assert.deepEqual(await outcomes(service, body), ['408 request-timeout']);
    assert.deepEqual(service.reports, []);
  });

  test('a connection without a request is closed', async (t) => {
    assert.deepEqual(await outcomes(await startFor(t, { timeouts })), ['408 request-timeout']);
  });

  test('a client that disconnects in the middle of its body is not a failure', async (t) => {
    const service = await startFor(t);
    const socket = connect(service.client.port, '127.0.0.1', () => socket.write(body));
    await pause(100);
    socket.destroy();
    await eventually(() => assert.equal(service.lines.at(-1)?.cutOff, true));
    assert.deepEqual(service.reports, []);
    assert.equal((await service.client.send('GET', '/healthz')).status, 200);
  });
});

testSeenAnswers('slow-clients');
