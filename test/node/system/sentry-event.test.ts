import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describe, test } from 'node:test';
import { getIsolationScope } from '@sentry/core';
import {
  context,
  eventIn,
  exceptionsIn,
  key,
  lines,
  now,
  type Posted,
  parseEnvelope,
  release,
  remarks,
  scripted,
  sentry,
  startSentryForEachTest,
  tracker,
} from './sentry-server.js';

startSentryForEachTest();

describe('An event for Sentry', () => {
  test('is one envelope with one event that has only the allowed fields', async () => {
    const error = new TypeError('x is not a function');
    error.stack = [
      'TypeError: x is not a function',
      '    at inner (file:///srv/rollcall/inner.js:3:7)',
      '    at async outer (/srv/rollcall/outer.js:20:15)',
    ].join('\n');
    const one = tracker({ environment: 'staging' });
    one.report(error, context);
    await one.flush(30_000);

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

  test('has the severity as its level, and no request tag if it belongs to no request', async () => {
    const one = tracker();
    one.report(new Error('first'), { severity: 'info', operation: 'export', requestId: null });
    one.report(new Error('second'), { severity: 'error', operation: 'stop', requestId: 'r-2' });
    await one.flush(30_000);
    assert.deepEqual(
      sentry.posts.map(eventIn).map(({ level, tags }) => ({ level, tags })),
      [
        { level: 'info', tags: { operation: 'export', release } },
        { level: 'error', tags: { operation: 'stop', request_id: 'r-2', release } },
      ],
    );
  });

  test('has the causes as further exceptions, the original cause first, up to a limit', async () => {
    const one = tracker();
    one.report(new Error('the export failed', { cause: new RangeError('too far') }), context);
    const circular = new Error('round');
    circular.cause = circular;
    one.report(circular, context);
    let deep = new Error('0');
    for (let depth = 1; depth < 20; depth += 1) deep = new Error(String(depth), { cause: deep });
    one.report(deep, context);
    await one.flush(30_000);
    assert.deepEqual(sentry.posts.map(exceptionsIn), [
      [
        { type: 'RangeError', value: 'too far' },
        { type: 'Error', value: 'the export failed' },
      ],
      Array.from({ length: 6 }, () => ({ type: 'Error', value: 'round' })),
      ['14', '15', '16', '17', '18', '19'].map((value) => ({ type: 'Error', value })),
    ]);
  });

  test('has stack frames that end where the error was created, with paths relative to the installation', async () => {
    function thrower(): never {
      throw new Error('created here');
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
    await one.flush(30_000);
    const frames = eventIn(sentry.posts[0]).exception.values[0]?.stacktrace?.frames ?? [];
    assert.deepEqual(
      frames.slice(-2).map(({ lineno: _lineno, colno: _colno, ...frame }) => frame),
      [
        { function: 'caller', filename: 'test/dist/node/system/sentry-event.test.js', in_app: true },
        { function: 'thrower', filename: 'test/dist/node/system/sentry-event.test.js', in_app: true },
      ],
    );
    const [outermost] = frames;
    assert.match(String(outermost?.filename), /^node:/);
    assert.equal(outermost?.in_app, false);
  });

  test('has frames for every kind of line in a stack', async () => {
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
    await one.flush(30_000);
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

  test('contains no properties added by a library, and no secret in a text, a cause or a tag', async () => {
    const accessKey = '1'.repeat(24);
    const cause = Object.assign(new Error(`wrong: whsec_${'a'.repeat(43)}=`), { bindings: ['hidden'] });
    const error = Object.assign(
      new Error(`postgres://rollcall:pa55@db.test/rollcall refused ${accessKey}`, { cause }),
      { request: { body: 'hidden', headers: { authorization: 'hidden' } }, password: 'hidden' },
    );
    const one = tracker();
    one.report(error, { severity: 'error', operation: `GET /${accessKey}`, requestId: accessKey });
    await one.flush(30_000);
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

  test('contains nothing of the Sentry scope of an embedding application', async () => {
    const scope = getIsolationScope();
    scope.setUser({ email: 'hidden', ip_address: 'hidden' });
    scope.setTags({ server: 'hidden' });
    scope.setExtra('query', 'hidden');
    scope.setContext('request', { url: 'hidden' });
    scope.addBreadcrumb({ message: 'hidden' });
    scope.addAttachment({ filename: 'hidden', data: 'hidden' });
    const one = tracker();
    one.report(new Error('x'), context);
    await one.flush(30_000);
    assert.deepEqual(exceptionsIn(sentry.posts[0]), [{ type: 'Error', value: 'x' }]);
    const body = String(sentry.posts[0]?.body);
    for (const name of ['hidden', hostname(), process.version]) assert.ok(!body.includes(name), name);
  });

  test('stays small even for a huge error', async () => {
    const error = new Error('m'.repeat(1_000_000), { cause: new Error('c'.repeat(1_000_000)) });
    error.stack = `Error: m${'\n    at f (/srv/f.js:1:1)'.repeat(10_000)}`;
    const one = tracker();
    one.report(error, { ...context, operation: 'o'.repeat(1_000) });
    await one.flush(30_000);
    const [post] = sentry.posts;
    assert.ok(post !== undefined && post.body.length < 32_768, `${post?.body.length} bytes`);
    const { exception, tags } = eventIn(post);
    assert.deepEqual(
      [exception.values[1]?.value.length, exception.values[1]?.stacktrace?.frames.length, tags.operation],
      [4000, 50, 'o'.repeat(200)],
    );
  });

  test('can be made of any thrown value, even one that throws when it is read', async () => {
    const hostile = new Error('x');
    Object.defineProperty(hostile, 'message', {
      get: () => {
        throw new Error('again');
      },
    });
    const one = tracker();
    for (const thrown of ['a text', null, undefined, 7, { body: 'hidden' }, hostile])
      one.report(thrown, context);
    await one.flush(30_000);
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

describe('The log with Sentry', () => {
  test('has each report before it is sent, in the same form as without Sentry', () => {
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

  test('has no line about sending while that works', async () => {
    const one = tracker();
    one.report(new Error('x'), context);
    await one.flush(30_000);
    assert.deepEqual(remarks(), []);
  });
});
