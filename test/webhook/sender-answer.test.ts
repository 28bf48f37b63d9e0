import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TIME_LIMITS } from '#adapters/webhook/time-limits.js';
import { startFlooding } from '../support/flooding-receiver.js';
import { startReceiver, startTlsListener } from '../support/receiver.js';
import { DELIVERED, during, failed, hasty, leavesNothingBehind, outcomeOf, SHORT, until } from './sending.js';

leavesNothingBehind();

test('2xx alone is delivered, every other status failed, each after one attempt', async (t) => {
  let status = 0;
  const receiver = during(
    t,
    await startReceiver({ answer: (_request, response) => response.writeHead(status).end('{"error":"no"}') }),
  );
  const delivered = [200, 201, 202, 204, 299];
  const refused = [400, 401, 404, 408, 410, 413, 429, 500, 502, 503, 504, 521, 599];
  for (status of [...delivered, ...refused]) {
    const outcome = delivered.includes(status) ? 'delivered' : 'failed';
    const expected = { outcome, phase: 'answer', status, reason: `answered ${status}` };
    assert.deepEqual(await outcomeOf(receiver.url), expected);
  }
  assert.equal(receiver.requests.length, delivered.length + refused.length);
});

test('a redirect is a failure, and nothing is sent to where it points', async (t) => {
  const second = during(t, await startReceiver());
  let status = 0;
  const receiver = during(
    t,
    await startReceiver({
      answer: (_request, response) => response.writeHead(status, { location: `${second.url}/inner` }).end(),
    }),
  );
  for (status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    const reason = `answered ${status}: redirects are not followed`;
    assert.deepEqual(await outcomeOf(receiver.url), { outcome: 'failed', phase: 'answer', status, reason });
  }
  assert.equal(receiver.requests.length, 8);
  assert.equal(second.connections(), 0);
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

test('what comes before the answer is not the answer', async (t) => {
  const receiver = during(
    t,
    await startTlsListener((socket) =>
      socket.write(
        'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n',
      ),
    ),
  );
  const expected = { outcome: 'failed', phase: 'answer', status: 500, reason: 'answered 500' };
  assert.deepEqual(await outcomeOf(receiver.url), expected);
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

const STALLING_BODIES: Readonly<Record<string, (socket: Socket) => void>> = {
  stalls: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
  drips: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20);
    socket.once('close', () => clearInterval(timer));
  },
  resets: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () =>
      setTimeout(() => socket.destroy(), 50),
    );
  },
  'is cut off': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
  'is no chunk': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n'),
};

for (const [fault, onConnection] of Object.entries(STALLING_BODIES)) {
  test(`an answer of 2xx is delivered though its body ${fault}`, async (t) => {
    const receiver = during(t, await startTlsListener(onConnection));
    assert.deepEqual(await outcomeOf(receiver.url, hasty), DELIVERED);
    assert.equal(receiver.connections(), 1);
    await until(() => receiver.open() === 0);
  });
}

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
