import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebhookRequest } from '@rollcall/core';
import type { WebhookSenderSettings } from '#adapters/node/webhook/sender.js';
import { startReceiver, startTcpListener, startTlsListener } from '../../support/receiver.js';
import { checkNothingIsLeftOpen, defaultSender, failed, request, sender, stopAfter } from './sending.js';

// Loaded in advance, because a test with mocked timers cannot wait for it.
await import('#adapters/node/webhook/client.js');
checkNothingIsLeftOpen();

/** Starts a delivery with the default limits and with mocked timers. */
function startUnderMockedTime(
  t: TestContext,
  webhookRequest: WebhookRequest,
  settings: Partial<WebhookSenderSettings> = {},
) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let ended = false;
  const ending = sender(settings)
    .send(webhookRequest)
    .finally(() => {
      ended = true;
    });
  const advance = async (milliseconds: number): Promise<boolean> => {
    t.mock.timers.tick(milliseconds);
    for (let at = 0; at < 20; at += 1) await nextTurn();
    return ended;
  };
  return {
    advance,
    /** Checks that the attempt is under way until this time has passed, and then has ended in this way. */
    async endsAfter(milliseconds: number, expected: object): Promise<void> {
      assert.equal(await advance(milliseconds - 1), false);
      assert.equal(await advance(1), true);
      const { duration, request: _request, response: _response, ...outcome } = await ending;
      assert.deepEqual(outcome, expected);
    },
  };
}

test('a lookup without a result ends after exactly 5 s', async (t) => {
  const { endsAfter } = startUnderMockedTime(t, request('https://receiver.test'), {
    lookup: () => new Promise(() => undefined),
  });
  await endsAfter(5_000, failed('lookup', 'no connection within 5 s'));
});

test('lookup, TCP and TLS share the 5 s', async (t) => {
  const receiver = stopAfter(t, await startTcpListener());
  let answer: () => void = () => undefined;
  const { advance, endsAfter } = startUnderMockedTime(t, request(`https://receiver.test:${receiver.port}`), {
    lookup: () =>
      new Promise((resolve) => {
        answer = () => resolve([{ address: '127.0.0.1', family: 4 }]);
      }),
  });
  assert.equal(await advance(4_000), false);
  answer();
  while (receiver.connections() === 0) await nextTurn();
  await endsAfter(1_000, failed('tls', 'no connection within 5 s'));
});

test('a receiver that has the request has exactly 10 s to respond', async (t) => {
  const receiver = stopAfter(t, await startReceiver({ answer: () => undefined }));
  const { advance, endsAfter } = startUnderMockedTime(t, request(receiver.url));
  while (receiver.requests.length === 0) await nextTurn();
  assert.equal(await advance(0), false);
  await endsAfter(10_000, failed('answer', 'no answer within 10 s'));
});

test('an attempt whose request is never read completely ends after exactly 16 s', async (t) => {
  let secured = 0;
  const receiver = stopAfter(
    t,
    await startTlsListener((socket) => {
      secured += 1;
      socket.pause();
    }),
  );
  const body = 'x'.repeat(32 * 1024 * 1024);
  const { endsAfter } = startUnderMockedTime(t, request(receiver.url, { body }));
  while (secured === 0) await nextTurn();
  await endsAfter(16_000, failed('request', 'not finished within 16 s'));
});

test('a finished delivery leaves no timer behind, whatever its outcome', async (t) => {
  const receiver = stopAfter(t, await startReceiver());
  const refusing = stopAfter(t, await startTcpListener({ onConnection: (socket) => socket.end() }));
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  for (const url of [receiver.url, refusing.url, 'https://10.0.0.1', 'no url']) {
    await defaultSender.send(request(url));
    assert.equal(timers(), before, url);
  }
});
