import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { answered } from '#adapters/node/webhook/reasons.js';
import { TIME_LIMITS } from '#adapters/node/webhook/time-limits.js';
import { startFlooding } from '../../support/flooding-receiver.js';
import { startReceiver, startTlsListener } from '../../support/receiver.js';
import { slowness } from '../../support/slowness.js';
import { eventually } from '../../support/wait.js';
import {
  checkNothingIsLeftOpen,
  DELIVERED,
  failed,
  outcomeOf,
  quickSender,
  SHORT_LIMITS,
  stopAfter,
} from './sending.js';

checkNothingIsLeftOpen();

test('the reason of a redirect says that it is not followed', () => {
  assert.deepEqual([200, 302, 404].map(answered), [
    'answered 200',
    'answered 302: redirects are not followed',
    'answered 404',
  ]);
});

test('switching protocols is a failure without a wait', async (t) => {
  const receiver = stopAfter(
    t,
    await startTlsListener((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    ),
  );
  const startedAt = performance.now();
  const expected = { outcome: 'failed', phase: 'answer', status: 101, reason: 'answered 101' };
  assert.deepEqual(await outcomeOf(receiver.url), expected);
  assert.ok(performance.now() - startedAt < (TIME_LIMITS.answer / 2) * slowness());
});

for (const expected of [
  DELIVERED,
  { outcome: 'failed', phase: 'answer', status: 500, reason: 'answered 500' },
]) {
  test(`an endless body of ${expected.status} is cut off after 64 KiB`, async (t) => {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const receiver = stopAfter(
      t,
      await startTlsListener((socket) => {
        socket.write(`HTTP/1.1 ${expected.status} Well\r\n\r\n`);
        const more = (): void => {
          while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        };
        socket.on('drain', more);
        more();
      }),
    );
    const startedAt = performance.now();
    assert.deepEqual(await outcomeOf(receiver.url), expected);
    assert.ok(
      performance.now() - startedAt < (TIME_LIMITS.answer / 2) * slowness(),
      'it waited for the end of the body',
    );
    await eventually(() => receiver.open() === 0);
    assert.ok(written < 16 * 1024 * 1024, `${written} bytes were received`);
  });
}

test('a compressed response is not decompressed, and its compressed size counts', async (t) => {
  const small = gzipSync(Buffer.alloc(8 * 1024 * 1024));
  const receiver = stopAfter(
    t,
    await startReceiver({
      answer: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).write(small),
    }),
  );
  const startedAt = performance.now();
  assert.ok(small.length < 10_000);
  assert.deepEqual(await outcomeOf(receiver.url, quickSender), DELIVERED);
  assert.ok(performance.now() - startedAt >= SHORT_LIMITS.answer, 'it counted the decompressed size');
});

const INTERIM: Readonly<Record<string, string>> = {
  '100': 'HTTP/1.1 100 Continue\r\n\r\n',
  '102': 'HTTP/1.1 102 Processing\r\n\r\n',
  '103': 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
};
const TOO_MANY_INTERIM = failed('answer', 'the receiver sent too many interim responses');

for (const [status, text] of Object.entries(INTERIM)) {
  test(`an attempt ends at the tenth interim response ${status}, whatever follows`, async (t) => {
    for (const [count, expected] of [
      [9, DELIVERED],
      [10, TOO_MANY_INTERIM],
    ] as const) {
      const receiver = stopAfter(
        t,
        await startTlsListener((socket) =>
          socket.write(`${text.repeat(count)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`),
        ),
      );
      assert.deepEqual(await outcomeOf(receiver.url, quickSender), expected);
      assert.equal(receiver.connections(), 1);
      await eventually(() => receiver.open() === 0);
    }
  });

  test(`endless interim responses ${status} end the attempt and do not delay others`, async (t) => {
    const flooding = await startFlooding(text);
    t.after(() => flooding.stop());
    const healthy = stopAfter(t, await startReceiver());
    const p50 = async (): Promise<number> => {
      const elapsedMs: number[] = [];
      for (let at = 0; at < 15; at += 1) {
        const startedAt = performance.now();
        assert.deepEqual(await outcomeOf(healthy.url), DELIVERED);
        elapsedMs.push(performance.now() - startedAt);
      }
      return elapsedMs.sort((one, other) => one - other)[7] ?? Infinity;
    };
    const idleMs = await p50();
    let isStopped = false;
    const attempts = (async () => {
      do assert.deepEqual(await outcomeOf(flooding.url), TOO_MANY_INTERIM);
      while (!isStopped);
    })();
    const floodedMs = await p50();
    isStopped = true;
    await attempts;
    assert.ok(floodedMs < 10 * idleMs + 50, `${idleMs} ms became ${floodedMs} ms`);
  });
}
