import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver, startTcpListener } from '../../support/receiver.js';
import { eventually } from '../../support/wait.js';
import {
  BODY,
  checkNothingIsLeftOpen,
  DELIVERED,
  defaultSender,
  failed,
  outcomeOf,
  request,
  stopAfter,
  withEnvironment,
} from './sending.js';

checkNothingIsLeftOpen();

test('the receiver gets no header but the given ones, the length, the host and that the connection ends', async (t) => {
  const receiver = stopAfter(t, await startReceiver());
  assert.deepEqual(await outcomeOf(`${receiver.url}/hooks/in?from=rollcall&x=%20`), DELIVERED);
  assert.deepEqual(
    receiver.requests.map(({ port, ...rest }) => rest),
    [
      {
        method: 'POST',
        path: '/hooks/in?from=rollcall&x=%20',
        headers: [
          ['Content-Type', 'application/json'],
          ['Content-Length', String(Buffer.byteLength(BODY))],
          ['Host', `127.0.0.1:${receiver.port}`],
          ['Connection', 'close'],
        ],
        body: Buffer.from(BODY, 'utf8'),
        sessionReused: false,
      },
    ],
  );
});

test('a request that cannot be sent is reported as a failure, not thrown', async (t) => {
  const receiver = stopAfter(t, await startReceiver());
  for (const headers of [{ 'X-Name': 'a\r\nX-Other: b' }, { 'X Name': 'a' }, { 'X-Name': '🌍' }]) {
    const sending = defaultSender.send(request(receiver.url, { headers }));
    const { duration, request: recorded, response, code, ...outcome } = await sending;
    assert.equal(response, null);
    assert.deepEqual(outcome, failed('connect', 'the request cannot be sent'));
    assert.match(String(code), /^ERR_INVALID_/);
  }
  assert.equal(receiver.connections(), 0);
});

test('every delivery uses a new connection without an earlier TLS session', async (t) => {
  const receiver = stopAfter(
    t,
    await startReceiver({
      answer: (_request, response) => response.writeHead(200, { connection: 'keep-alive' }).end(),
    }),
  );
  const one = defaultSender;
  for (let at = 0; at < 3; at += 1) await one.send(request(receiver.url));
  assert.equal(receiver.connections(), 3);
  assert.equal(new Set(receiver.requests.map(({ port }) => port)).size, 3);
  assert.deepEqual(
    receiver.requests.map(({ sessionReused }) => sessionReused),
    [false, false, false],
  );
  await eventually(() => receiver.open() === 0);
});

test('proxies in environment variables are not used', async (t) => {
  const receiver = stopAfter(t, await startReceiver());
  const proxy = stopAfter(t, await startTcpListener());
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
  withEnvironment(t, {
    ...Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxy.port}`])),
    NODE_USE_ENV_PROXY: '1',
    NO_PROXY: undefined,
  });
  assert.deepEqual(await outcomeOf(receiver.url), DELIVERED);
  assert.equal(proxy.connections(), 0);
});
