import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { FairTurns } from '#adapters/express/fair-turns.js';
import { LongAnswers } from '#adapters/express/long-answers.js';
import { Connections } from '#adapters/express/requests-in-turn.js';
import { UnreadAnswers } from '#adapters/express/unread-answers.js';
import { startExporting } from '../support/http/streamed-export.js';

const MB = 1024 * 1024;

describe('UnreadAnswers', () => {
  test('a subject may have 8 MB, until they are read', () => {
    const unread = new UnreadAnswers();
    const forget = unread.add('a', 8 * MB);
    assert.equal(unread.isTooMuch('a'), false);
    const forgetLast = unread.add('a', 1);
    assert.deepEqual([unread.isTooMuch('a'), unread.isTooMuch('b')], [true, false]);
    forgetLast();
    assert.equal(unread.isTooMuch('a'), false);
    forget();
  });

  test('all subjects together may have 32 MB: beyond that, each may have 1 MB', () => {
    const unread = new UnreadAnswers();
    for (const subject of ['a', 'b', 'c', 'd']) unread.add(subject, 8 * MB);
    assert.equal(unread.isTooMuch('a'), false);
    unread.add('e', MB);
    assert.deepEqual(
      ['a', 'e', 'f'].map((subject) => unread.isTooMuch(subject)),
      [true, false, false],
    );
    unread.add('e', 1);
    assert.equal(unread.isTooMuch('e'), true);
  });
});

describe('LongAnswers', () => {
  const refuse = () => new Error('too many');

  test('two are made at once, of different organizations, which take turns', async () => {
    const answers = new LongAnswers();
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const begin = (name: string, id: number) =>
      void answers.begin(id, refuse).then((end) => {
        begun.push(name);
        ends.push(end);
      });
    begin('a1', 1);
    begin('a2', 1);
    begin('a3', 1);
    begin('b1', 2);
    begin('c1', 3);
    const expected = [['a1', 'b1'], ['a2'], ['c1'], ['a3']];
    for (const [index] of expected.entries()) {
      await new Promise(setImmediate);
      assert.deepEqual(
        begun.sort(),
        expected
          .slice(0, index + 1)
          .flat()
          .sort(),
      );
      ends.shift()?.();
    }
  });

  test('one that would have to wait does not begin now', async () => {
    const answers = new LongAnswers();
    const end = answers.beginNow(1);
    assert.equal(answers.beginNow(1), null);
    end?.();
    assert.notEqual(answers.beginNow(1), null);
  });

  test('the 257th that waits is refused', async () => {
    const answers = new LongAnswers();
    const end = await answers.begin(1, refuse);
    const waiting = Array.from({ length: 256 }, () => answers.begin(1, refuse).then((ended) => ended()));
    await assert.rejects(answers.begin(1, refuse), /too many/);
    end();
    await Promise.all(waiting);
  });
});

test('FairTurns: what takes long ends the turn of the event loop, and another organization comes next', async () => {
  const turns = new FairTurns();
  const order: string[] = [];
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (turn < 100) setImmediate(count);
  };
  const work = async (id: number): Promise<void> => {
    await turns.next(id);
    order.push(`${id} in turn ${turn}`);
    for (const until = performance.now() + 6; performance.now() < until; );
  };
  setImmediate(count);
  await new Promise(setImmediate);
  await work(1);
  await Promise.all([work(1), work(1), work(2)]);
  assert.deepEqual(
    order.map((text) => text[0]),
    ['1', '1', '2', '1'],
  );
  assert.equal(new Set(order).size, 4);
});

test('requests that arrive together on many connections do not begin in one turn of the event loop', async () => {
  const connections = new Connections(0);
  const begun = new Set<number>();
  let turn = 0;
  const request = () => {
    const message = new IncomingMessage(new Socket());
    return { message, response: new ServerResponse(message) };
  };
  const requests = Array.from({ length: 4 }, request);
  const all = new Promise<void>((done) => {
    for (const [index, { message, response }] of requests.entries())
      connections.add(message, response, () => {
        begun.add(turn);
        for (const until = performance.now() + 6; performance.now() < until; );
        if (index === requests.length - 1) done();
      });
  });
  const count = (): void => {
    turn += 1;
    if (turn < 100) setImmediate(count);
  };
  setImmediate(count);
  await all;
  assert.equal(begun.size, requests.length);
});

test('an organization whose clients do not read gets 429, until they are gone; others are answered', async (t) => {
  const page = '/export_meetings?column=name&page=1';
  const pages = async function* () {
    yield Buffer.alloc(24 * MB, ' ');
  };
  const { client, own, organization } = await startExporting(t, pages, 1);
  const other = await organization();
  const socket: Socket = connect(client.port, '127.0.0.1');
  t.after(() => socket.destroy());
  const path = `/api/v2/organizations/${own.id}${page}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: unread\r\nAuthorization: Bearer ${own.token}\r\n\r\n`);
  await once(socket, 'readable');
  const refused = await own.get(page);
  assert.deepEqual(
    [refused.status, refused.headers['x-error-code'], refused.headers['retry-after'], refused.json],
    [
      429,
      'too-many-requests',
      '5',
      { error: 'Too many large answers at once: read those that were sent, and try again' },
    ],
  );
  assert.equal((await own.get('/webhook')).status, 429);
  assert.equal((await other.get('/webhook')).status, 200);
  socket.destroy();
  let status = 429;
  for (let tries = 0; status === 429 && tries < 200; tries += 1) {
    await pause(20);
    ({ status } = await own.get('/webhook'));
  }
  assert.equal(status, 200);
});
