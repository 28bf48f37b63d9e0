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

/** What a receiver does with a connection, before TLS in phase `tls` and after it in phase `answer`. */
type Fault = readonly [phase: 'tls' | 'answer', onConnection: (socket: Socket) => void, reason: string];

const FAULTS: Readonly<Record<string, Fault>> = {
  'never answers': ['answer', () => undefined, `no answer within ${SHORT_LIMITS.answer / 1000} s`],
  'closes without a response': ['answer', (socket) => socket.end(), 'connection closed without an answer'],
  'does not speak HTTP': [
    'answer',
    (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
    'the answer is not HTTP',
  ],
  'sends endless headers': [
    'answer',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X-Header: value\r\n'.repeat(10_000)}`),
    'more than 16 KB of headers',
  ],
  'sends nothing during the TLS handshake': [
    'tls',
    () => undefined,
    `no connection within ${SHORT_LIMITS.connect / 1000} s`,
  ],
  'resets during the TLS handshake': [
    'tls',
    (socket) => setTimeout(() => socket.resetAndDestroy(), 20),
    'connection reset',
  ],
  'closes during the TLS handshake': ['tls', (socket) => socket.end(), 'connection closed without an answer'],
  'does not speak TLS': [
    'tls',
    (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    'the receiver does not speak TLS',
  ],
};

for (const [fault, [phase, onConnection, reason]] of Object.entries(FAULTS)) {
  test(`a receiver that ${fault} is reported as a failure with the reason, after one attempt`, async (t) => {
    const start =
      phase === 'tls' ? () => startTcpListener({ onConnection }) : () => startTlsListener(onConnection);
    const receiver = stopAfter(t, await start());
    assert.deepEqual(await outcomeOf(receiver.url, quickSender), failed(phase, reason));
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
