import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { type Receiver, startReceiver, startTcpListener, startTlsListener } from '../../support/receiver.js';
import { eventually } from '../../support/wait.js';
import {
  checkNothingIsLeftOpen,
  failed,
  outcomeOf,
  quickSender,
  SHORT_LIMITS,
  stopAfter,
} from './sending.js';

checkNothingIsLeftOpen();

const TLS_FAULTS: Readonly<
  Record<string, readonly [onConnection: (socket: Socket) => void, reason: string]>
> = {
  'never answers': [() => undefined, `no answer within ${SHORT_LIMITS.answer / 1000} s`],
  'closes without a response': [(socket) => socket.end(), 'connection closed without an answer'],
  'does not speak HTTP': [(socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'the answer is not HTTP'],
  'sends endless headers': [
    (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X-Header: value\r\n'.repeat(10_000)}`),
    'more than 16 KB of headers',
  ],
};

for (const [fault, [onConnection, reason]] of Object.entries(TLS_FAULTS)) {
  test(`a receiver that ${fault} is reported as a failure with the reason, after one attempt`, async (t) => {
    const receiver = stopAfter(t, await startTlsListener(onConnection));
    assert.deepEqual(await outcomeOf(receiver.url, quickSender), failed('answer', reason));
    assert.equal(receiver.connections(), 1);
    await eventually(() => receiver.open() === 0);
  });
}

const TCP_FAULTS: Readonly<
  Record<string, readonly [onConnection: (socket: Socket) => void, reason: string]>
> = {
  'sends nothing during the TLS handshake': [
    () => undefined,
    `no connection within ${SHORT_LIMITS.connect / 1000} s`,
  ],
  'resets during the TLS handshake': [
    (socket) => setTimeout(() => socket.resetAndDestroy(), 20),
    'connection reset',
  ],
  'closes during the TLS handshake': [(socket) => socket.end(), 'connection closed without an answer'],
  'does not speak TLS': [
    (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    'the receiver does not speak TLS',
  ],
};

for (const [fault, [onConnection, reason]] of Object.entries(TCP_FAULTS)) {
  test(`a receiver that ${fault} is reported as a failure with the reason, after one attempt`, async (t) => {
    const receiver = stopAfter(t, await startTcpListener({ onConnection }));
    assert.deepEqual(await outcomeOf(receiver.url, quickSender), failed('tls', reason));
    assert.equal(receiver.connections(), 1);
    await eventually(() => receiver.open() === 0);
  });
}

test('a receiver that resets after the request is reported as a failure with the reason, after one attempt', async (t) => {
  const receiver: Receiver = stopAfter(t, await startReceiver({ answer: () => receiver.reset() }));
  assert.deepEqual(await outcomeOf(receiver.url), failed('answer', 'connection reset'));
  assert.equal(receiver.connections(), 1);
});

test('an unreachable receiver is reported as a failure with the reason', async () => {
  const closed = await startTcpListener();
  await closed.stop();
  assert.deepEqual(await outcomeOf(closed.url), failed('connect', 'connection refused'));
});
