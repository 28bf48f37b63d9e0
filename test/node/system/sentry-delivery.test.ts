import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { slowness } from '../../support/slowness.js';
import {
  context,
  exceptionsIn,
  neverReached,
  remarks,
  replaceSentry,
  reportsLost,
  scripted,
  sentry,
  startSentryForEachTest,
  tracker,
} from './sentry-server.js';

startSentryForEachTest();

/** Reports as many errors, and waits until they are sent or lost. */
async function report(count: number, options: Parameters<typeof tracker>[0] = {}): Promise<void> {
  const one = tracker(options);
  for (let index = 0; index < count; index += 1) one.report(new Error('x'), context);
  await one.flush(30_000);
}

describe('A Sentry server that fails', () => {
  test('if it is unreachable, reports are lost and counted, with one log line at the start and one at the end', async () => {
    sentry.stop();
    await report(5);
    assert.deepEqual(remarks(), [reportsLost('ECONNREFUSED'), neverReached(5)]);
  });

  test('if it works again, one log line has the number of lost reports', async () => {
    const { sent, fetch } = scripted({ status: 500 }, { status: 403 }, { status: 200 });
    await report(4, { fetch });
    assert.equal(sent.length, 4);
    assert.deepEqual(remarks(), [
      reportsLost('it answered 500'),
      { level: 40, lost: 2, msg: 'Reports reach the error tracker again' },
    ]);
  });

  test('it has 5 s to respond to each report, and no report is sent again', async () => {
    await replaceSentry(() => undefined);
    const one = tracker();
    const startedAt = performance.now();
    one.report(new Error('x'), context);
    const reported = performance.now() - startedAt;
    await one.flush(20_000);
    const elapsedMs = performance.now() - startedAt;
    assert.ok(reported < 100, `report took ${reported} ms`);
    assert.ok(elapsedMs >= 4990 && elapsedMs < 6500 * slowness(), `${elapsedMs} ms`);
    assert.equal(sentry.posts.length, 1);
    assert.deepEqual(remarks(), [reportsLost('it did not answer within 5 s'), neverReached(1)]);
  });

  test('after 429 with Retry-After, it gets nothing until that time is over', async () => {
    const { sent, fetch } = scripted({ status: 429, retryAfter: '1' });
    const one = tracker({ fetch });
    one.report(new Error('first'), context);
    one.report(new Error('second'), context);
    await one.flush(30_000);
    one.report(new Error('third'), context);
    await one.flush(30_000);
    assert.equal(sent.length, 1);
    await new Promise((resolve) => setTimeout(resolve, 1050));
    one.report(new Error('fourth'), context);
    await one.flush(30_000);
    assert.deepEqual(
      sent.map((envelope) => /"value":"(\w+)"/.exec(envelope)?.[1]),
      ['first', 'fourth'],
    );
    assert.deepEqual(remarks(), [
      reportsLost('it answered 429'),
      neverReached(2),
      reportsLost('it asked for a pause'),
      neverReached(1),
    ]);
  });

  test('Retry-After may be a date and come with any error, and 429 causes a pause even without it', async () => {
    for (const answer of [
      { status: 503, retryAfter: new Date(Date.now() + 60_000).toUTCString() },
      { status: 429 },
      { status: 429, retryAfter: 'soon' },
    ]) {
      const { sent, fetch } = scripted(answer);
      await report(2, { fetch });
      assert.equal(sent.length, 1, JSON.stringify(answer));
    }
  });

  test('at most 100 reports wait, and further ones are dropped and counted', async () => {
    const { sent, fetch } = scripted();
    await report(130, { fetch });
    // One is under way, and 100 wait.
    assert.equal(sent.length, 101);
    assert.deepEqual(remarks(), [
      reportsLost('too many wait to be sent'),
      { level: 40, lost: 29, msg: 'Reports reach the error tracker again' },
    ]);
  });

  test('a redirect is not followed', async () => {
    await replaceSentry((response) => response.writeHead(307, { Location: '/elsewhere' }).end());
    await report(1);
    assert.deepEqual(
      sentry.posts.map(({ url }) => url.replace(/\?.*/, '')),
      ['/api/42/envelope/'],
    );
    assert.deepEqual(remarks(), [reportsLost('it answered 307'), neverReached(1)]);
  });

  test('at most 300 events are sent in a minute', async () => {
    const { sent, fetch } = scripted();
    const one = tracker({ fetch });
    for (let index = 0; index < 310; index += 1) {
      one.report(new Error('x'), context);
      if (index % 50 === 49) await one.flush(30_000);
    }
    await one.flush(30_000);
    assert.equal(sent.length, 300);
    assert.deepEqual(remarks(), [reportsLost('too many were sent in this minute'), neverReached(10)]);
  });

  test('a failed request is logged without secrets', async () => {
    await report(1, {
      fetch: () => {
        throw new Error(`no way to ${'2'.repeat(24)}`);
      },
    });
    assert.deepEqual(remarks(), [reportsLost('no way to ***'), neverReached(1)]);
  });
});

describe('flush', () => {
  test('waits until everything has been sent', async () => {
    const one = tracker();
    for (let index = 0; index < 20; index += 1) one.report(new Error(String(index)), context);
    await one.flush(5000);
    assert.deepEqual(
      sentry.posts.map((post) => exceptionsIn(post)[0]?.value),
      Array.from({ length: 20 }, (_, index) => String(index)),
    );
  });

  test('ends at once if there is nothing to send', async () => {
    const startedAt = performance.now();
    await tracker().flush(5000);
    assert.ok(performance.now() - startedAt < 500 * slowness());
  });

  test('ends after its timeout, and drops the reports that are under way or waiting', async () => {
    await replaceSentry(() => undefined);
    const one = tracker();
    for (let index = 0; index < 3; index += 1) one.report(new Error('x'), context);
    const startedAt = performance.now();
    await one.flush(200);
    const elapsedMs = performance.now() - startedAt;
    assert.ok(elapsedMs >= 190 && elapsedMs < 1000 * slowness(), `${elapsedMs} ms`);
    assert.equal(sentry.posts.length, 1);
    assert.deepEqual(remarks(), [reportsLost('the time to send them was over'), neverReached(3)]);
  });
});
