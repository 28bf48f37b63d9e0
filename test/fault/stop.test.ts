import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  stopTwice,
  stopUnderLoad,
  stopWhileConnecting,
  stopWithStuckReceiver,
} from '../support/fault/stop.js';
import { slowness } from '../support/slowness.js';

const noAnswer = { outcome: 'failed', phase: 'answer', reason: 'no answer within 10 s' };

describe('A server that is told to stop', { concurrency: 4 }, () => {
  test('answers every form in flight, finishes the deliveries in progress and exits with 0', async (t) => {
    const { counts, problems } = await stopUnderLoad({ people: 12, delayMs: 0, signal: 'SIGTERM' });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(problems, []);
  });

  // Closing resets connections that Node has not accepted yet; it accepts one in each iteration of its event loop.
  test('answers clients that connected and sent a request just before', async () => {
    const answers = await stopWhileConnecting({ connections: 10 });
    assert.deepEqual(
      answers,
      Array.from({ length: 10 }, () => 'HTTP/1.1 200 OK'),
    );
  });

  test('waits for a receiver that never answers only as long as an attempt may take', async () => {
    const { code, elapsedMs, state, attempts } = await stopWithStuckReceiver('SIGINT');
    assert.deepEqual([code, state, attempts], [0, 'failed', [noAnswer]]);
    assert.ok(elapsedMs < 20_000 * slowness(), `it took ${elapsedMs} ms`);
  });

  test('exits at once on a second SIGTERM, and leaves the delivery to the next start', async () => {
    const { elapsedMs, ...stopped } = await stopTwice('SIGTERM', 'SIGTERM');
    assert.deepEqual(stopped, { waited: true, code: 143, state: 'sending', attempts: [] });
    assert.ok(elapsedMs < 2000 * slowness(), `it took ${elapsedMs} ms`);
  });
});
