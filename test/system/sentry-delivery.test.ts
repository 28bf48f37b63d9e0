import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  context,
  exceptionsIn,
  lossesBegin,
  neverReached,
  remarks,
  replaceSentry,
  scripted,
  sentry,
  startSentryForEachTest,
  tracker,
} from './sentry-server.js';

startSentryForEachTest();

describe('A Sentry that does not answer as it should', () => {
  test('one that is unreachable: reports are lost and counted, with one line at the beginning and one at the end', async () => {
    sentry.stop();
    const one = tracker();
    for (let index = 0; index < 5; index += 1) one.report(new Error('x'), context);
    await one.flush(1000);
    assert.deepEqual(remarks(), [lossesBegin('ECONNREFUSED'), neverReached(5)]);
  });

  test('one that works again is logged in one line, with the number of reports lost before', async () => {
    const { sent, fetch } = scripted({ status: 500 }, { status: 403 }, { status: 200 });
    const one = tracker({ fetch });
    for (let index = 0; index < 4; index += 1) one.report(new Error('x'), context);
    await one.flush(1000);
    assert.equal(sent.length, 4);
    assert.deepEqual(remarks(), [
      lossesBegin('it answered 500'),
      { level: 40, lost: 2, msg: 'Reports reach the error tracker again' },
    ]);
  });

  test('one that takes its time has 5 s for each report, and none of them is sent again', async () => {
    await replaceSentry(() => undefined);
    const one = tracker();
    const started = performance.now();
    one.report(new Error('x'), context);
    const reported = performance.now() - started;
    await one.flush(20_000);
    const elapsedMs = performance.now() - started;
    assert.ok(reported < 100, `report took ${reported} ms`);
    assert.ok(elapsedMs >= 4990 && elapsedMs < 6500, `${elapsedMs} ms`);
    assert.equal(sentry.posts.length, 1);
    assert.deepEqual(remarks(), [lossesBegin('it did not answer within 5 s'), neverReached(1)]);
  });

  test('one that says 429 gets nothing until the time that it named is over', async () => {
    const { sent, fetch } = scripted({ status: 429, retryAfter: '1' });
    const one = tracker({ fetch });
    one.report(new Error('first'), context);
    one.report(new Error('second'), context);
    await one.flush(1000);
    one.report(new Error('third'), context);
    await one.flush(1000);
    assert.equal(sent.length, 1);
    await new Promise((resolve) => setTimeout(resolve, 1050));
    one.report(new Error('fourth'), context);
    await one.flush(1000);
    assert.deepEqual(
      sent.map((envelope) => /"value":"(\w+)"/.exec(envelope)?.[1]),
      ['first', 'fourth'],
    );
    assert.deepEqual(remarks(), [
      lossesBegin('it answered 429'),
      neverReached(2),
      lossesBegin('it asked for a pause'),
      neverReached(1),
    ]);
  });

  test('Retry-After may be a date and come with any refusal, and 429 alone is a pause as well', async () => {
    for (const answer of [
      { status: 503, retryAfter: new Date(Date.now() + 60_000).toUTCString() },
      { status: 429 },
      { status: 429, retryAfter: 'soon' },
    ]) {
      const { sent, fetch } = scripted(answer);
      const one = tracker({ fetch });
      one.report(new Error('first'), context);
      one.report(new Error('second'), context);
      await one.flush(1000);
      assert.equal(sent.length, 1, JSON.stringify(answer));
    }
  });

  test('at most 100 reports wait; further ones are dropped and counted', async () => {
    const { sent, fetch } = scripted();
    const one = tracker({ fetch });
    for (let index = 0; index < 130; index += 1) one.report(new Error('x'), context);
    await one.flush(1000);
    // One on its way, and 100 behind it.
    assert.equal(sent.length, 101);
    assert.deepEqual(remarks(), [
      lossesBegin('too many wait to be sent'),
      { level: 40, lost: 29, msg: 'Reports reach the error tracker again' },
    ]);
  });

  test('a redirect is not followed', async () => {
    await replaceSentry((response) => response.writeHead(307, { Location: '/elsewhere' }).end());
    const one = tracker();
    one.report(new Error('x'), context);
    await one.flush(1000);
    assert.deepEqual(
      sentry.posts.map(({ url }) => url.replace(/\?.*/, '')),
      ['/api/42/envelope/'],
    );
    assert.deepEqual(remarks(), [lossesBegin('it answered 307'), neverReached(1)]);
  });

  test('at most 300 events are sent in a minute', async () => {
    const { sent, fetch } = scripted();
    const one = tracker({ fetch });
    for (let index = 0; index < 310; index += 1) {
      one.report(new Error('x'), context);
      if (index % 50 === 49) await one.flush(1000);
    }
    await one.flush(1000);
    assert.equal(sent.length, 300);
    assert.deepEqual(remarks(), [lossesBegin('too many were sent in this minute'), neverReached(10)]);
  });

  test('a failed post is logged without its secrets', async () => {
    const one = tracker({
      fetch: () => {
        throw new Error(`no way to ${'2'.repeat(24)}`);
      },
    });
    one.report(new Error('x'), context);
    await one.flush(1000);
    assert.deepEqual(remarks(), [lossesBegin('no way to ***'), neverReached(1)]);
  });
});

describe('The end', () => {
  test('flush waits until everything is sent', async () => {
    const one = tracker();
    for (let index = 0; index < 20; index += 1) one.report(new Error(String(index)), context);
    await one.flush(5000);
    assert.deepEqual(
      sentry.posts.map((post) => exceptionsIn(post)[0]?.value),
      Array.from({ length: 20 }, (_, index) => String(index)),
    );
  });

  test('flush ends at once when there is nothing to send', async () => {
    const started = performance.now();
    await tracker().flush(5000);
    assert.ok(performance.now() - started < 500);
  });

  test('flush ends after its time, and gives up what is on its way and what waits', async () => {
    await replaceSentry(() => undefined);
    const one = tracker();
    for (let index = 0; index < 3; index += 1) one.report(new Error('x'), context);
    const started = performance.now();
    await one.flush(200);
    const elapsedMs = performance.now() - started;
    assert.ok(elapsedMs >= 190 && elapsedMs < 1000, `${elapsedMs} ms`);
    assert.equal(sentry.posts.length, 1);
    assert.deepEqual(remarks(), [lossesBegin('the time to send them was over'), neverReached(3)]);
  });
});
