import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { type Receiver, startReceiver, startTcpListener, startTlsListener } from '../support/receiver.js';
import { during, failed, hasty, leavesNothingBehind, outcomeOf, until } from './sending.js';

leavesNothingBehind();

const TLS_FAULTS: Readonly<
  Record<string, readonly [onConnection: (socket: Socket) => void, reason: string]>
> = {
  'never answers': [() => undefined, 'no answer within 0.6 s'],
  'closes without an answer': [(socket) => socket.end(), 'connection closed without an answer'],
  'does not speak HTTP': [(socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'the answer is not HTTP'],
  'sends headers without end': [
    (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X-Header: value\r\n'.repeat(10_000)}`),
    'the answer is not HTTP',
  ],
};

for (const [fault, [onConnection, reason]] of Object.entries(TLS_FAULTS)) {
  test(`a receiver that ${fault} is a failure with its reason, after one attempt`, async (t) => {
    const receiver = during(t, await startTlsListener(onConnection));
    assert.deepEqual(await outcomeOf(receiver.url, hasty), failed('answer', reason));
    assert.equal(receiver.connections(), 1);
    await until(() => receiver.open() === 0);
  });
}

const TCP_FAULTS: Readonly<
  Record<string, readonly [onConnection: (socket: Socket) => void, reason: string]>
> = {
  'says nothing before TLS': [() => undefined, 'no connection within 1.5 s'],
  'resets before TLS': [(socket) => setTimeout(() => socket.resetAndDestroy(), 20), 'connection reset'],
  'closes before TLS': [(socket) => socket.end(), 'connection closed without an answer'],
  'speaks no TLS': [(socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), 'TLS failed'],
};

for (const [fault, [onConnection, reason]] of Object.entries(TCP_FAULTS)) {
  test(`a receiver that ${fault} is a failure with its reason, after one attempt`, async (t) => {
    const receiver = during(t, await startTcpListener({ onConnection }));
    assert.deepEqual(await outcomeOf(receiver.url, hasty), failed('tls', reason));
    assert.equal(receiver.connections(), 1);
    await until(() => receiver.open() === 0);
  });
}

test('a receiver that resets after the request is a failure with its reason, after one attempt', async (t) => {
  const receiver: Receiver = during(t, await startReceiver({ answer: () => receiver.reset() }));
  assert.deepEqual(await outcomeOf(receiver.url), failed('answer', 'connection reset'));
  assert.equal(receiver.connections(), 1);
});

test('a receiver that is not there is a failure with its reason', async () => {
  const gone = await startTcpListener();
  await gone.stop();
  assert.deepEqual(await outcomeOf(gone.url), failed('connect', 'connection refused'));
});
