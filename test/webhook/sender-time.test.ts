import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { WebhookRequest } from '@rollcall/core';
import { gotWebhookSender, type WebhookSenderSettings } from '#adapters/webhook/sender.js';
import { TIME_LIMITS } from '#adapters/webhook/time-limits.js';
import { startReceiver, startTcpListener, startTlsListener } from '../support/receiver.js';
import { AUTHORITY, during, failed, LOOPBACK, leavesNothingBehind, request, usual } from './sending.js';

// Loaded beforehand: a test that moves the clock cannot wait for it.
await import('#adapters/webhook/client.js');
leavesNothingBehind();

test('the limits are 5 s to connect, 10 s to answer, 16 s in all', () => {
  assert.deepEqual(TIME_LIMITS, { connect: 5_000, answer: 10_000, total: 16_000 });
});

/** Starts a delivery under the default limits and under a clock that the test moves. */
function startUnderMockedTime(
  t: TestContext,
  sent: WebhookRequest,
  settings: Partial<WebhookSenderSettings> = {},
) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const one = gotWebhookSender({
    allowedNetworks: LOOPBACK,
    certificateAuthorities: [AUTHORITY],
    ...settings,
  });
  let ended = false;
  const ending = one.send(sent).finally(() => {
    ended = true;
  });
  const move = async (milliseconds: number): Promise<boolean> => {
    t.mock.timers.tick(milliseconds);
    for (let at = 0; at < 20; at += 1) await turn();
    return ended;
  };
  return { ending, move };
}

test('a lookup that never answers ends after exactly 5 s', async (t) => {
  const { ending, move } = startUnderMockedTime(t, request('https://receiver.test'), {
    lookup: () => new Promise(() => undefined),
  });
  assert.equal(await move(4_999), false);
  assert.equal(await move(1), true);
  const { duration, ...outcome } = await ending;
  assert.deepEqual(outcome, failed('lookup', 'no connection within 5 s'));
});

test('lookup, TCP and TLS share their 5 s', async (t) => {
  const receiver = during(t, await startTcpListener());
  let answer: () => void = () => undefined;
  const { ending, move } = startUnderMockedTime(t, request(`https://receiver.test:${receiver.port}`), {
    lookup: () =>
      new Promise((resolve) => {
        answer = () => resolve([{ address: '127.0.0.1', family: 4 }]);
      }),
  });
  assert.equal(await move(4_000), false);
  answer();
  while (receiver.connections() === 0) await turn();
  assert.equal(await move(999), false);
  assert.equal(await move(1), true);
  const { duration, ...outcome } = await ending;
  assert.deepEqual(outcome, failed('tls', 'no connection within 5 s'));
});

test('a receiver that has the request and never answers is given exactly 10 s', async (t) => {
  const receiver = during(t, await startReceiver({ answer: () => undefined }));
  const { ending, move } = startUnderMockedTime(t, request(receiver.url));
  while (receiver.requests.length === 0) await turn();
  assert.equal(await move(0), false);
  assert.equal(await move(9_999), false);
  assert.equal(await move(1), true);
  const { duration, ...outcome } = await ending;
  assert.deepEqual(outcome, failed('answer', 'no answer within 10 s'));
});

test('a receiver that never takes the whole request is given up after exactly 16 s', async (t) => {
  let secured = 0;
  const receiver = during(
    t,
    await startTlsListener((socket) => {
      secured += 1;
      socket.pause();
    }),
  );
  const body = 'x'.repeat(32 * 1024 * 1024);
  const { ending, move } = startUnderMockedTime(t, request(receiver.url, { body }));
  while (secured === 0) await turn();
  assert.equal(await move(15_999), false);
  assert.equal(await move(1), true);
  const { duration, ...outcome } = await ending;
  assert.deepEqual(outcome, failed('request', 'not finished within 16 s'));
});

test('a delivery that has ended leaves no timer behind, however it ended', async (t) => {
  const receiver = during(t, await startReceiver());
  const refusing = during(t, await startTcpListener({ onConnection: (socket) => socket.end() }));
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  for (const url of [receiver.url, refusing.url, 'https://10.0.0.1', 'no url']) {
    await usual.send(request(url));
    assert.equal(timers(), before, url);
  }
});
