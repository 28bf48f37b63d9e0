import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { getIsolationScope } from '@sentry/core';
import { createLog } from '#adapters/system/log.js';
import { checkSentryDsn } from '#adapters/system/sentry-dsn.js';
import {
  type SentryErrorTracker,
  type SentryOptions,
  sentryErrorTracker,
} from '#adapters/system/sentry-error-tracker.js';
import { startReceiver } from '../support/receiver.js';

const key = 'e12d836b15bb49d7bbf99e64295d995b';
const now = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const release = 'rollcall@1.2.0';

interface Posted {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A Sentry on 127.0.0.1 that keeps what it gets, and answers as it is told. */
async function startSentry(answer: (response: ServerResponse) => void = accept) {
  const posts: Posted[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    posts.push({ method, url, headers, body: Buffer.concat(await request.toArray()) });
    answer(response);
  });
  server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    posts,
    dsn: `http://${key}@127.0.0.1:${port}/42`,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function accept(response: ServerResponse): void {
  response.setHeader('Content-Type', 'application/json').end('{"id":"fc6d8c0c43fc4630ad850ee518f1b9d0"}');
}

/** The parts of an envelope, which has one item. */
function parseEnvelope(bytes: Buffer) {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const parts = text.split('\n').map((line): Record<string, unknown> => JSON.parse(line));
  assert.equal(parts.length, 3);
  const [header = {}, item = {}, event = {}] = parts;
  return { header, item, event };
}

/** The event of a post, with its frames. */
function eventIn(post: Posted | undefined) {
  assert.ok(post !== undefined, 'nothing was posted');
  return parseEnvelope(post.body).event as unknown as {
    readonly level: string;
    readonly exception: {
      readonly values: readonly {
        readonly type: string;
        readonly value: string;
        readonly stacktrace?: { readonly frames: readonly Readonly<Record<string, unknown>>[] };
      }[];
    };
    readonly tags: Readonly<Record<string, string>>;
  };
}

/** The exceptions of a post, without their frames. */
function exceptionsIn(post: Posted | undefined) {
  return eventIn(post).exception.values.map(({ type, value }) => ({ type, value }));
}

let sentry: Awaited<ReturnType<typeof startSentry>>;
let lines: string[];
beforeEach(async () => {
  sentry = await startSentry();
  lines = [];
});
afterEach(() => sentry.stop());

function tracker(options: Partial<SentryOptions> = {}): SentryErrorTracker {
  const log = createLog({
    level: 'trace',
    pretty: false,
    destination: { write: (line) => lines.push(line) },
  });
  return sentryErrorTracker({ dsn: sentry.dsn, release, log, ...options });
}

const context = { severity: 'error', operation: 'exportMeetings', requestId: 'r-1' } as const;

/** What the log says beside the reports themselves. */
function remarks(): readonly unknown[] {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ error }) => error === undefined)
    .map(({ time: _time, ...entry }) => entry);
}

function lossesBegin(reason: string) {
  return { level: 40, reason, msg: 'Reports do not reach the error tracker, and are only in this log' };
}

function neverReached(lost: number) {
  return { level: 40, lost, msg: 'Reports never reached the error tracker' };
}

/** A `fetch` that gives one answer after the other, then 200, and the envelopes that it was given. */
function scripted(...answers: readonly { readonly status: number; readonly retryAfter?: string }[]) {
  const sent: string[] = [];
  const fetch: SentryOptions['fetch'] = async (_url, init) => {
    const { status, retryAfter } = answers[sent.length] ?? { status: 200 };
    sent.push(String(init?.body));
    return new Response(null, {
      status,
      headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
    });
  };
  return { sent, fetch };
}

describe('What Sentry is sent', () => {
  test('a report is one envelope of one event, which holds the fields of the allow-list and no others', async () => {
    const error = new TypeError('x is not a function');
    error.stack = [
      'TypeError: x is not a function',
      '    at inner (file:///srv/rollcall/inner.js:3:7)',
      '    at async outer (/srv/rollcall/outer.js:20:15)',
    ].join('\n');
    const one = tracker({ environment: 'staging' });
    one.report(error, context);
    await one.flush(1000);

    assert.equal(sentry.posts.length, 1);
    const [post] = sentry.posts as [Posted];
    const url = new URL(post.url, 'http://sentry');
    assert.deepEqual(
      [post.method, url.pathname, url.searchParams.get('sentry_key')],
      ['POST', '/api/42/envelope/', key],
    );
    assert.equal(post.headers['content-type'], 'application/x-sentry-envelope');
    assert.equal(post.headers['user-agent'], 'rollcall');
    const { header, item, event } = parseEnvelope(post.body);
    const { event_id: id, sent_at: sentAt, ...otherHeaders } = header;
    assert.match(String(id), /^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    assert.match(String(sentAt), now);
    assert.deepEqual({ otherHeaders, item }, { otherHeaders: {}, item: { type: 'event' } });
    assert.ok(Math.abs(Date.now() / 1000 - Number(event.timestamp)) < 60, String(event.timestamp));
    assert.deepEqual(event, {
      event_id: id,
      timestamp: event.timestamp,
      platform: 'node',
      level: 'error',
      release,
      environment: 'staging',
      exception: {
        values: [
          {
            type: 'TypeError',
            value: 'x is not a function',
            mechanism: { type: 'generic', handled: true },
            stacktrace: {
              frames: [
                {
                  function: 'outer',
                  filename: '/srv/rollcall/outer.js',
                  lineno: 20,
                  colno: 15,
                  in_app: true,
                },
                { function: 'inner', filename: '/srv/rollcall/inner.js', lineno: 3, colno: 7, in_app: true },
              ],
            },
          },
        ],
      },
      tags: { operation: 'exportMeetings', request_id: 'r-1', release },
    });
  });

  test('the level is the severity, and a report that belongs to no request has no tag for one', async () => {
    const one = tracker();
    one.report(new Error('first'), { severity: 'info', operation: 'export', requestId: null });
    one.report(new Error('second'), { severity: 'error', operation: 'stop', requestId: 'r-2' });
    await one.flush(1000);
    assert.deepEqual(
      sentry.posts.map(eventIn).map(({ level, tags }) => ({ level, tags })),
      [
        { level: 'info', tags: { operation: 'export', release } },
        { level: 'error', tags: { operation: 'stop', request_id: 'r-2', release } },
      ],
    );
  });

  test('causes are further exceptions, the first cause first, and an end is made of endless ones', async () => {
    const one = tracker();
    one.report(new Error('the export failed', { cause: new RangeError('too far') }), context);
    const circular = new Error('round');
    circular.cause = circular;
    one.report(circular, context);
    let deep = new Error('0');
    for (let depth = 1; depth < 20; depth += 1) deep = new Error(String(depth), { cause: deep });
    one.report(deep, context);
    await one.flush(1000);
    assert.deepEqual(sentry.posts.map(exceptionsIn), [
      [
        { type: 'RangeError', value: 'too far' },
        { type: 'Error', value: 'the export failed' },
      ],
      Array.from({ length: 6 }, () => ({ type: 'Error', value: 'round' })),
      ['14', '15', '16', '17', '18', '19'].map((value) => ({ type: 'Error', value })),
    ]);
  });

  test('the frames of a real error end where it was made, with paths from where the product is installed', async () => {
    function thrower(): never {
      throw new Error('made here');
    }
    function caller(): void {
      thrower();
    }
    const one = tracker();
    try {
      caller();
    } catch (error) {
      one.report(error, context);
    }
    await one.flush(1000);
    const frames = eventIn(sentry.posts[0]).exception.values[0]?.stacktrace?.frames ?? [];
    assert.deepEqual(
      frames.slice(-2).map(({ lineno: _lineno, colno: _colno, ...frame }) => frame),
      [
        { function: 'caller', filename: 'test/dist/system/sentry.test.js', in_app: true },
        { function: 'thrower', filename: 'test/dist/system/sentry.test.js', in_app: true },
      ],
    );
    const [outermost] = frames;
    assert.match(String(outermost?.filename), /^node:/);
    assert.equal(outermost?.in_app, false);
  });

  test('every kind of line in a stack is read', async () => {
    const error = new Error('two lines\nat fake (/not/a/frame.js:1:1)');
    error.stack = [
      `Error: ${error.message}`,
      '    at new Made (/srv/made.js:1:2)',
      '    at Array.map (<anonymous>)',
      '    at async Promise.all (index 0)',
      '    at Layer.handle [as handle_request] (/srv/node_modules/express/layer.js:95:5)',
      '    at async file:///srv/bare.js:3:4',
      '    at node:internal/process/task_queues:95:5',
      'and some words',
    ].join('\n');
    const one = tracker();
    one.report(error, context);
    await one.flush(1000);
    assert.deepEqual(eventIn(sentry.posts[0]).exception.values[0]?.stacktrace?.frames, [
      {
        function: '?',
        filename: 'node:internal/process/task_queues',
        lineno: 95,
        colno: 5,
        in_app: false,
      },
      { function: '?', filename: '/srv/bare.js', lineno: 3, colno: 4, in_app: true },
      {
        function: 'Layer.handle [as handle_request]',
        filename: '/srv/node_modules/express/layer.js',
        lineno: 95,
        colno: 5,
        in_app: false,
      },
      { function: 'Promise.all', filename: 'index 0', in_app: false },
      { function: 'Array.map', filename: '<anonymous>', in_app: false },
      { function: 'new Made', filename: '/srv/made.js', lineno: 1, colno: 2, in_app: true },
    ]);
  });

  test('nothing that a library hung on an error leaves, and no secret in a text, a cause or a tag', async () => {
    const accessKey = '1'.repeat(24);
    const cause = Object.assign(new Error(`wrong: whsec_${'a'.repeat(43)}=`), { bindings: ['hidden'] });
    const error = Object.assign(
      new Error(`postgres://rollcall:pa55@db.test/rollcall refused ${accessKey}`, { cause }),
      { request: { body: 'hidden', headers: { authorization: 'hidden' } }, password: 'hidden' },
    );
    const one = tracker();
    one.report(error, { severity: 'error', operation: `GET /${accessKey}`, requestId: accessKey });
    await one.flush(1000);
    const [post] = sentry.posts;
    assert.deepEqual(
      { exceptions: exceptionsIn(post), tags: eventIn(post).tags },
      {
        exceptions: [
          { type: 'Error', value: 'wrong: ***' },
          { type: 'Error', value: 'postgres://rollcall:***@db.test/rollcall refused ***' },
        ],
        tags: { operation: 'GET /***', request_id: '***', release },
      },
    );
    const everything = `${post?.body}${JSON.stringify(post?.headers)}`;
    for (const secret of [accessKey, 'whsec_', 'pa55', 'hidden']) {
      assert.equal(everything.includes(secret), false, secret);
    }
  });

  test('what an application around ours tells its own Sentry does not leave with our events', async () => {
    const scope = getIsolationScope();
    scope.setUser({ email: 'hidden', ip_address: 'hidden' });
    scope.setTags({ server: 'hidden' });
    scope.setExtra('query', 'hidden');
    scope.setContext('request', { url: 'hidden' });
    scope.addBreadcrumb({ message: 'hidden' });
    scope.addAttachment({ filename: 'hidden', data: 'hidden' });
    const one = tracker();
    one.report(new Error('x'), context);
    await one.flush(1000);
    assert.deepEqual(exceptionsIn(sentry.posts[0]), [{ type: 'Error', value: 'x' }]);
    const body = String(sentry.posts[0]?.body);
    for (const name of ['hidden', hostname(), process.version]) assert.ok(!body.includes(name), name);
  });

  test('an event stays small, whatever the error', async () => {
    const error = new Error('m'.repeat(1_000_000), { cause: new Error('c'.repeat(1_000_000)) });
    error.stack = `Error: m${'\n    at f (/srv/f.js:1:1)'.repeat(10_000)}`;
    const one = tracker();
    one.report(error, { ...context, operation: 'o'.repeat(1_000) });
    await one.flush(1000);
    const [post] = sentry.posts;
    assert.ok(post !== undefined && post.body.length < 32_768, `${post?.body.length} bytes`);
    const { exception, tags } = eventIn(post);
    assert.deepEqual(
      [exception.values[1]?.value.length, exception.values[1]?.stacktrace?.frames.length, tags.operation],
      [4000, 50, 'o'.repeat(200)],
    );
  });

  test('whatever is thrown can be reported, also what breaks when it is looked at', async () => {
    const hostile = new Error('x');
    Object.defineProperty(hostile, 'message', {
      get: () => {
        throw new Error('again');
      },
    });
    const one = tracker();
    for (const thrown of ['a text', null, undefined, 7, { body: 'hidden' }, hostile])
      one.report(thrown, context);
    await one.flush(1000);
    const nothing = 'a value that is not an error was thrown';
    assert.deepEqual(sentry.posts.map(exceptionsIn), [
      [{ type: 'string', value: 'a text' }],
      [{ type: 'object', value: nothing }],
      [{ type: 'undefined', value: nothing }],
      [{ type: 'number', value: nothing }],
      [{ type: 'object', value: nothing }],
    ]);
    assert.deepEqual(remarks(), [
      { level: 50, operation: 'exportMeetings', requestId: 'r-1', msg: 'An error cannot be described' },
    ]);
  });
});

describe('The log beside Sentry', () => {
  test('a report is in the log before it is sent, in the same line as without Sentry', () => {
    const error = new Error('no room');
    tracker({ fetch: scripted().fetch }).report(error, context);
    const [line = ''] = lines;
    const { time: _time, ...entry } = JSON.parse(line);
    assert.deepEqual(entry, {
      level: 50,
      operation: 'exportMeetings',
      requestId: 'r-1',
      error: { name: 'Error', message: 'no room', stack: error.stack, cause: null },
      msg: 'exportMeetings: no room',
    });
  });

  test('nothing is said about sending as long as it works', async () => {
    const one = tracker();
    one.report(new Error('x'), context);
    await one.flush(1000);
    assert.deepEqual(remarks(), []);
  });
});

describe('A Sentry that does not answer as it should', () => {
  test('one that nobody can reach: reports are lost and counted, with one line at the beginning and one at the end', async () => {
    sentry.stop();
    const one = tracker();
    for (let index = 0; index < 5; index += 1) one.report(new Error('x'), context);
    await one.flush(1000);
    assert.deepEqual(remarks(), [lossesBegin('ECONNREFUSED'), neverReached(5)]);
  });

  test('one that works again is told of in one line, with how many reports were lost before', async () => {
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
    sentry.stop();
    sentry = await startSentry(() => undefined);
    const one = tracker();
    const started = performance.now();
    one.report(new Error('x'), context);
    const reported = performance.now() - started;
    await one.flush(20_000);
    const took = performance.now() - started;
    assert.ok(reported < 100, `report took ${reported} ms`);
    assert.ok(took >= 4990 && took < 6500, `${took} ms`);
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
    sentry.stop();
    sentry = await startSentry((response) => response.writeHead(307, { Location: '/elsewhere' }).end());
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

  test('a post that fails is told without its secrets', async () => {
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
    sentry.stop();
    sentry = await startSentry(() => undefined);
    const one = tracker();
    for (let index = 0; index < 3; index += 1) one.report(new Error('x'), context);
    const started = performance.now();
    await one.flush(200);
    const took = performance.now() - started;
    assert.ok(took >= 190 && took < 1000, `${took} ms`);
    assert.equal(sentry.posts.length, 1);
    assert.deepEqual(remarks(), [lossesBegin('the time to send them was over'), neverReached(3)]);
  });
});

describe('The DSN', () => {
  test('every form that Sentry documents leads to its project, without the secret of an old one', async () => {
    const forms = [
      ['https://public@sentry.example.com/1', 'https://sentry.example.com/api/1/envelope/'],
      ['https://public@sentry.example.com:9000/1', 'https://sentry.example.com:9000/api/1/envelope/'],
      ['http://public@10.0.0.7/a/b/1', 'http://10.0.0.7/a/b/api/1/envelope/'],
      ['https://public@[::1]:9000/1', 'https://[::1]:9000/api/1/envelope/'],
      ['https://public:hidden@sentry.example.com/1', 'https://sentry.example.com/api/1/envelope/'],
    ] as const;
    for (const [dsn, expected] of forms) {
      const posts: string[] = [];
      const fetch: SentryOptions['fetch'] = async (url, init) => {
        posts.push(`${url} ${init?.body}`);
        return new Response();
      };
      const one = tracker({ dsn, fetch });
      one.report(new Error('x'), context);
      await one.flush(1000);
      const [post = ''] = posts;
      assert.ok(post.startsWith(`${expected}?`) && post.includes('sentry_key=public'), `${dsn}: ${post}`);
      assert.ok(!post.includes('hidden'));
    }
  });

  test('a bad one is refused at once with what is wrong and without being repeated', () => {
    const key = 'the key before the @ is missing or has other characters than letters and digits';
    const project = 'the number of the project at its end is missing';
    const reasons = {
      '': 'it is not an http(s) URL',
      'sentry.example.com/1': 'it is not an http(s) URL',
      'ftp://public@sentry.example.com/1': 'it is not an http(s) URL',
      'https://sentry.example.com/1': key,
      'https://pub%0Alic@sentry.example.com/1': key,
      'https://pub-lic@sentry.example.com/1': key,
      'https://public:a-b@sentry.example.com/1':
        'the secret before the @ has other characters than letters and digits',
      'https://public@sentry.example.com': project,
      'https://public@sentry.example.com/1/': project,
      'https://public@sentry.example.com/one': project,
      'https://public@sentry.example.com/1?x=1': 'it must end after the project',
      'https://public@sentry.example.com/1#x': 'it must end after the project',
    };
    for (const [dsn, reason] of Object.entries(reasons)) {
      assert.throws(
        () => checkSentryDsn(dsn),
        new Error(
          `A Sentry DSN has the form https://<key>@<host>[:port][/path]/<project>, but in this one ${reason}.`,
        ),
        dsn,
      );
      assert.throws(() => tracker({ dsn }), /^Error: A Sentry DSN/, dsn);
    }
  });
});

describe('Over HTTPS', () => {
  test('a tracker with a certificate that nobody vouches for gets nothing', async () => {
    const receiver = await startReceiver();
    const one = tracker({ dsn: `https://${key}@127.0.0.1:${receiver.port}/1` });
    one.report(new Error('x'), context);
    await one.flush(2000);
    await receiver.stop();
    assert.deepEqual(receiver.requests, []);
    assert.deepEqual(remarks().slice(1), [neverReached(1)]);
  });

  test('an authority of NODE_EXTRA_CA_CERTS is trusted, and the process ends when the report is sent', async () => {
    const receiver = await startReceiver();
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-sentry-'));
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, receiver.authority);
    const program = `
      import { createLog } from ${JSON.stringify(import.meta.resolve('#adapters/system/log.js'))};
      import { sentryErrorTracker } from ${JSON.stringify(import.meta.resolve('#adapters/system/sentry-error-tracker.js'))};
      const log = createLog({ level: 'silent' });
      const tracker = sentryErrorTracker({ dsn: 'https://${key}@127.0.0.1:${receiver.port}/1', release: 'r', log });
      tracker.report(new Error('sent'), { severity: 'error', operation: 'o', requestId: null });`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
      timeout: 20_000,
    });
    await receiver.stop();
    rmSync(folder, { recursive: true });
    assert.deepEqual(
      receiver.requests.map(({ path, body }) => [
        path.replace(/\?.*/, ''),
        /"value":"(\w+)"/.exec(body.toString())?.[1],
      ]),
      [['/api/1/envelope/', 'sent']],
    );
  });
});
