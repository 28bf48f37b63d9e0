import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { answered } from '#adapters/webhook/reasons.js';
import { TIME_LIMITS } from '#adapters/webhook/time-limits.js';
import { startFlooding } from '../support/flooding-receiver.js';
import { startReceiver, startTlsListener } from '../support/receiver.js';
import { DELIVERED, during, failed, hasty, leavesNothingBehind, outcomeOf, SHORT, until } from './sending.js';

leavesNothingBehind();

test('the reason of a redirect says that it is not followed', () => {
  assert.deepEqual([200, 302, 404].map(answered), [
    'answered 200',
    'answered 302: redirects are not followed',
    'answered 404',
  ]);
});

test('switching protocols is no success and does not wait', async (t) => {
  const receiver = during(
    t,
    await startTlsListener((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    ),
  );
  const started = performance.now();
  const expected = { outcome: 'failed', phase: 'answer', status: 101, reason: 'answered 101' };
  assert.deepEqual(await outcomeOf(receiver.url), expected);
  assert.ok(performance.now() - started < TIME_LIMITS.answer / 2);
});

test('an endless body ends after 64 KiB and changes nothing', async (t) => {
  for (const [status, outcome] of [
    [200, 'delivered'],
    [500, 'failed'],
  ] as const) {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const receiver = during(
      t,
      await startTlsListener((socket) => {
        socket.write(`HTTP/1.1 ${status} Well\r\n\r\n`);
        const more = (): void => {
          while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        };
        socket.on('drain', more);
        more();
      }),
    );
    const started = performance.now();
    const expected = { outcome, phase: 'answer', status, reason: `answered ${status}` };
    assert.deepEqual(await outcomeOf(receiver.url), expected);
    assert.ok(performance.now() - started < TIME_LIMITS.answer / 2, 'the body was waited for');
    await until(() => receiver.open() === 0);
    assert.ok(written < 16 * 1024 * 1024, `${written} bytes were taken`);
  }
});

test('a compressed answer is not unpacked: what is counted is what came over the wire', async (t) => {
  const small = gzipSync(Buffer.alloc(8 * 1024 * 1024));
  const receiver = during(
    t,
    await startReceiver({
      answer: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).write(small),
    }),
  );
  const started = performance.now();
  assert.ok(small.length < 10_000);
  assert.deepEqual(await outcomeOf(receiver.url, hasty), DELIVERED);
  assert.ok(performance.now() - started >= SHORT.answer, 'it was read as 8 MiB and not waited for');
});

const INTERIM: Readonly<Record<string, string>> = {
  '100': 'HTTP/1.1 100 Continue\r\n\r\n',
  '102': 'HTTP/1.1 102 Processing\r\n\r\n',
  '103': 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
};
const TOO_MANY_INTERIM = failed('answer', 'the receiver sent too many interim responses');

for (const [status, text] of Object.entries(INTERIM)) {
  test(`an attempt ends at the tenth interim response ${status}, whatever comes after it`, async (t) => {
    const receiver = during(
      t,
      await startTlsListener((socket) =>
        socket.write(`${text.repeat(10)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`),
      ),
    );
    assert.deepEqual(await outcomeOf(receiver.url, hasty), TOO_MANY_INTERIM);
    assert.equal(receiver.connections(), 1);
    await until(() => receiver.open() === 0);
  });

  test(`nine interim responses ${status} before the answer are passed over`, async (t) => {
    const receiver = during(
      t,
      await startTlsListener((socket) =>
        socket.write(`${text.repeat(9)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`),
      ),
    );
    assert.deepEqual(await outcomeOf(receiver.url), DELIVERED);
  });

  test(`endless interim responses ${status} end the attempt and hold up no other`, async (t) => {
    const flooding = await startFlooding(text);
    t.after(() => flooding.stop());
    const well = during(t, await startReceiver());
    const p50 = async (): Promise<number> => {
      const elapsedMs: number[] = [];
      for (let at = 0; at < 15; at += 1) {
        const started = performance.now();
        assert.deepEqual(await outcomeOf(well.url), DELIVERED);
        elapsedMs.push(performance.now() - started);
      }
      return elapsedMs.sort((one, other) => one - other)[7] ?? Infinity;
    };
    const calm = await p50();
    let isOver = false;
    const attempts = (async () => {
      do assert.deepEqual(await outcomeOf(flooding.url), TOO_MANY_INTERIM);
      while (!isOver);
    })();
    const flooded = await p50();
    isOver = true;
    await attempts;
    assert.ok(flooded < 10 * calm + 50, `${calm} ms became ${flooded} ms`);
  });
}
