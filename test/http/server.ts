import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { testUuid } from '@rollcall/core/testing';
import { parseReplies, type Reply } from '../support/http/client.js';
import { checkAnswer } from '../support/http/contract.js';
import {
  apiBase,
  type HttpService,
  type StartHttpService,
  startHttpService,
} from '../support/http/service.js';
import { eventually, gate } from '../support/http/wait.js';

const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';
const close = 'Connection: close\r\n\r\n';

/** HTTP itself: what is no request, what comes too slowly, how the server stops, and what it logs. */
export function serverSuite(): void {
  const start = async (t: TestContext, given: StartHttpService = {}): Promise<HttpService> => {
    const service = await startHttpService(given);
    t.after(service.stop);
    return service;
  };
  const replies = async ({ client }: HttpService, ...pieces: readonly (string | Buffer)[]) => {
    const found = parseReplies(await client.raw(...pieces));
    for (const reply of found) checkAnswer({ method: 'RAW', path: '/', reply });
    return found.map(outcome);
  };

  describe('What is not valid HTTP is answered as JSON, and the connection is closed', () => {
    const post = `POST ${apiBase}/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
    const invalid: Readonly<Record<string, string>> = {
      'no request at all': 'hello\r\n\r\n',
      'an unknown method': 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n',
      'an unknown version': 'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
      'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      TLS: '\x16\x03\x01\x02\x00\x01\x00',
      'Content-Length and Transfer-Encoding': `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'Transfer-Encoding and Content-Length': `${post}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`,
      'two lengths': `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      'a list of lengths': `${post}Content-Length: 2, 2\r\n\r\n{}`,
      'a negative length': `${post}Content-Length: -1\r\n\r\n{}`,
      'a length with a sign': `${post}Content-Length: +2\r\n\r\n{}`,
      'a length in hex': `${post}Content-Length: 0x2\r\n\r\n{}`,
      'a huge length': `${post}Content-Length: 99999999999999999999\r\n\r\n{}`,
      'chunked that is not last': `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
      'a chunk size that is none': `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
      'a space before the colon': 'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
      'NUL in a header': 'GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n',
      'a header without a name': 'GET / HTTP/1.1\r\n: a\r\n\r\n',
      'a folded header': 'GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n',
      'a space in the URL': 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n',
      'a tunnel': 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n',
    };
    for (const [name, text] of Object.entries(invalid)) {
      test(`${name}: 400`, async (t) => {
        assert.deepEqual(await replies(await start(t), text), ['400 invalid-request']);
      });
    }

    test('no Host: 400, unless it is HTTP/1.0', async (t) => {
      const service = await start(t);
      assert.deepEqual(await replies(service, `GET /nothing HTTP/1.1\r\n${close}`), ['400 invalid-request']);
      assert.deepEqual(await replies(service, 'GET /nothing HTTP/1.0\r\n\r\n'), ['404 unknown-path']);
    });

    const badHeads: Readonly<Record<string, readonly [head: string, error: string]>> = {
      'two Hosts': [
        'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
        'The Host header must be given once',
      ],
      'the same Host twice': [
        'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n',
        'The Host header must be given once',
      ],
      'two Hosts by HTTP/1.0': [
        'GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n',
        'The Host header must be given once',
      ],
      ...Object.fromEntries(
        [
          '',
          'a b',
          'a, b',
          'a/b',
          'user@a',
          'a:b',
          'a:99999',
          'a:1:2',
          '[::1',
          '[a]',
          '::1',
          'a?b',
          '<a>',
          'é',
          '%zz',
          'a'.repeat(300),
        ].map((host) => [
          `the Host ${JSON.stringify(host.slice(0, 20))}`,
          [
            `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
            'The Host header must be a name or an address, and may have a port',
          ],
        ]),
      ),
      'a broken Host by HTTP/1.0': [
        'GET /healthz HTTP/1.0\r\nHost: a/b\r\n\r\n',
        'The Host header must be a name or an address, and may have a port',
      ],
      'a whole URL of another host': [
        'GET http://b/healthz HTTP/1.1\r\nHost: a\r\n\r\n',
        'The URL must name the host that the Host header names',
      ],
      'a whole URL with a user': [
        'GET http://user@a/healthz HTTP/1.1\r\nHost: a\r\n\r\n',
        'The URL must name the host that the Host header names',
      ],
      'HTTP/0.9': ['GET /healthz\r\n\r\n', 'The version must be HTTP/1.1 or HTTP/1.0'],
      'HTTP/2 in the form of HTTP/1': [
        'GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n',
        'The version must be HTTP/1.1 or HTTP/1.0',
      ],
      'HTTP/1.0 with Transfer-Encoding': [
        `POST ${apiBase}/authenticate HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
        'HTTP/1.0 has no Transfer-Encoding',
      ],
    };
    for (const [name, [head, error]] of Object.entries(badHeads)) {
      test(`${name}: 400 that says so, and nothing after it on the connection is read`, async (t) => {
        const seen: string[] = [];
        const service = await start(t, { app: { observe: ({ route }) => seen.push(String(route)) } });
        const [reply, ...others] = parseReplies(await service.client.raw(`${head}${health}\r\n`, health));
        assert.ok(reply);
        checkAnswer({ method: 'RAW', path: '/', reply });
        assert.deepEqual(
          [outcome(reply), reply.json, reply.headers.connection, others],
          ['400 invalid-request', { error }, 'close', []],
        );
        assert.deepEqual(seen, []);
      });
    }

    test('every form that a Host can have is taken', async (t) => {
      const service = await start(t);
      for (const host of [
        'a',
        'A.example',
        'my_host-1.example.',
        'a:80',
        'a:',
        '127.0.0.1:8080',
        '[::1]',
        '[2001:db8::1]:443',
        'xn--bcher-kva.example',
      ]) {
        const text = await service.client.raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n${close}`);
        assert.match(text, /^HTTP\/1\.1 200 /, host);
      }
      const whole = await service.client.raw(`GET HTTP://A:80/healthz?x HTTP/1.1\r\nHost: a:80\r\n${close}`);
      assert.match(whole, /^HTTP\/1\.1 200 /);
    });

    test('a bad head after a request is refused after its answer', async (t) => {
      const service = await start(t);
      const { id, token } = await service.organization();
      service.replace('webhooks', { of: () => pause(100, null) });
      const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const text = await service.client.raw(
        `${head}GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${head}`,
      );
      assert.deepEqual(parseReplies(text).map(outcome), ['200 undefined', '400 invalid-request']);
    });

    test('a head of more than 16 KB: 431', async (t) => {
      const service = await start(t);
      assert.deepEqual(await replies(service, `${health}X: ${'x'.repeat(17_000)}\r\n\r\n`), [
        '431 headers-too-large',
      ]);
      assert.deepEqual(await replies(service, `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`), [
        '431 headers-too-large',
      ]);
      assert.deepEqual(await replies(service, `${health}${'a:b\r\n'.repeat(9000)}\r\n`), [
        '431 headers-too-large',
      ]);
    });

    test('thousands of small headers are read, and none is dropped', async (t) => {
      const service = await start(t);
      const { id, token } = await service.organization();
      const many = 'a:\r\n'.repeat(2500);
      const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\n${many}Authorization: Bearer ${token}\r\n${close}`;
      assert.match(await service.client.raw(head), /^HTTP\/1\.1 200 /);
    });

    test('an expectation that nobody knows is ignored, and 100-continue is answered', async (t) => {
      const service = await start(t);
      assert.deepEqual(
        await replies(service, `GET /nothing HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n${close}`),
        ['404 unknown-path'],
      );
      const body = '{"access_key":1}';
      const text = await service.client.raw(
        `${post}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n${close}`,
        body,
      );
      assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
    });

    test('OPTIONS * is an unknown path, and a whole URL is read as its path', async (t) => {
      const service = await start(t);
      assert.deepEqual(await replies(service, `OPTIONS * HTTP/1.1\r\nHost: a\r\n${close}`), [
        '404 unknown-path',
      ]);
      assert.match(
        await service.client.raw(`GET http://a/healthz HTTP/1.1\r\nHost: a\r\n${close}`),
        /^HTTP\/1\.1 200 /,
      );
    });

    test('an upgrade is not made', async (t) => {
      const service = await start(t);
      const head = `GET /nothing HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n`;
      assert.deepEqual(await replies(service, head), ['404 unknown-path']);
    });
  });

  describe('Slow and pipelined clients (trap 9)', () => {
    const timeouts = { headers: 200, request: 400, check: 50 };
    const body = `POST ${apiBase}/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;

    test('a head that does not come in time: 408', async (t) => {
      assert.deepEqual(await replies(await start(t, { timeouts }), 'GET /healthz HT'), [
        '408 request-timeout',
      ]);
    });

    test('a body that does not come in time: 408', async (t) => {
      const service = await start(t, { timeouts });
      assert.deepEqual(await replies(service, body), ['408 request-timeout']);
      assert.deepEqual(service.reports, []);
    });

    test('a connection on which nothing comes is closed', async (t) => {
      assert.deepEqual(await replies(await start(t, { timeouts })), ['408 request-timeout']);
    });

    test('a client that leaves in the middle of its body is no failure', async (t) => {
      const service = await start(t);
      const socket = connect(service.client.port, '127.0.0.1', () => socket.write(body));
      await pause(100);
      socket.destroy();
      await eventually(() => assert.equal(service.lines.at(-1)?.cutOff, true));
      assert.deepEqual(service.reports, []);
      assert.equal((await service.client.send('GET', '/healthz')).status, 200);
    });

    test('pipelined requests are answered in their order', async (t) => {
      const service = await start(t);
      const text = await service.client.raw(
        `${health}\r\nGET /nothing HTTP/1.1\r\nHost: a\r\n\r\n${health}${close}`,
      );
      assert.deepEqual(parseReplies(text).map(outcome), [
        '200 undefined',
        '404 unknown-path',
        '200 undefined',
      ]);
    });

    test('a body that breaks off while its request is being answered is refused once', async (t) => {
      const service = await start(t);
      const { id, token } = await service.organization();
      service.replace('members', { byUuid: () => pause(100, null) });
      const path = `${apiBase}/organizations/${id}/users/${testUuid(1)}/generate_otl_url`;
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\n`;
      assert.deepEqual(await replies(service, head, 'zz\r\n', 'more'), ['400 invalid-request']);
      await pause(150);
      assert.deepEqual(service.reports, []);
      assert.equal((await service.client.send('GET', '/healthz')).status, 200);
    });

    const MAX_UNANSWERED = 32;

    test('32 requests of a connection may wait for their answers', async (t) => {
      const service = await start(t);
      const text = await service.client.raw(`${health}\r\n`.repeat(MAX_UNANSWERED - 1) + health + close);
      assert.deepEqual(parseReplies(text).map(outcome), Array(MAX_UNANSWERED).fill('200 undefined'));
    });

    test('as many as a client wants may follow, when it reads the answers', async (t) => {
      const service = await start(t);
      const socket = connect(service.client.port, '127.0.0.1');
      t.after(() => socket.destroy());
      let read = '';
      socket.setEncoding('latin1').on('data', (text) => {
        read += text;
      });
      for (let turn = 1; turn <= 5; turn += 1) {
        socket.write(`${health}\r\n`.repeat(20));
        await eventually(() => assert.equal(read.split('HTTP/1.1 200').length - 1, 20 * turn));
      }
    });

    test('the 33rd closes the connection: nothing is done for it or for those after it', async (t) => {
      let asked = 0;
      const service = await start(t, {
        app: {
          ready: async () => {
            asked += 1;
            return pause(100, []);
          },
        },
      });
      const ready = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';
      assert.equal(await service.client.raw(ready.repeat(3000)), '');
      assert.equal(asked, 0);
      assert.equal((await service.client.send('GET', '/healthz')).status, 200);
    });

    test('the same where each comes in a packet of its own', async (t) => {
      const service = await start(t);
      const { id, token } = await service.organization();
      const held = gate();
      t.after(() => held.release());
      service.replace('webhooks', { of: held.pass });
      const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const begin = performance.now();
      assert.equal(await service.client.raw(...Array(MAX_UNANSWERED + 1).fill(head)), '');
      assert.ok(performance.now() - begin < 10_000);
    });

    test('a connection that is refused and goes on sending is closed at once', async (t) => {
      const service = await start(t);
      const begin = performance.now();
      await service.client.raw(`GET / HTTP/1.1\r\n\r\n${`${health}\r\n`.repeat(100)}`);
      assert.ok(performance.now() - begin < 800, 'it was kept for as long as others have to read the answer');
    });

    test('floods leave few lines in the log, and the count of the others', async (t) => {
      const service = await start(t, { timeouts: { logWindow: 3000 } });
      const flood = `${health}\r\n`.repeat(100);
      for (let turn = 0; turn < 6; turn += 1) {
        await Promise.all(Array.from({ length: 5 }, () => service.client.raw(flood)));
      }
      const told = () => service.lines.filter(({ msg }) => String(msg).startsWith('Connection'));
      await eventually(() =>
        assert.equal(
          told().reduce((sum, { connections }) => sum + Number(connections), 0),
          30,
        ),
      );
      assert.ok(told().length < 30, `${told().length} lines`);
      const requests = service.lines.filter(({ msg }) => msg === 'request');
      assert.equal(requests.length, 0, 'requests of a flood were begun');
      const [{ level, address, msg } = {}] = told();
      assert.deepEqual(
        { level, address, msg },
        {
          level: 40,
          address: '127.0.0.1',
          msg: 'Connection closed: more than 32 requests without an answer',
        },
      );
    });

    test('what a flood with a token has begun is in the log', async (t) => {
      const service = await start(t);
      const { id, token } = await service.organization();
      service.replace('webhooks', { of: () => pause(50, null) });
      const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const socket = connect(service.client.port, '127.0.0.1', () => socket.write(head));
      socket.on('error', () => undefined);
      await pause(30);
      socket.write(head.repeat(MAX_UNANSWERED));
      await eventually(() =>
        assert.deepEqual(
          service.lines.map(({ organizationId, cutOff, level }) => [organizationId, cutOff, level]),
          [
            [undefined, undefined, 40],
            [id, true, 30],
          ],
        ),
      );
    });

    test('requests with bodies that come at once are begun one after the other', async (t) => {
      const service = await start(t);
      const body =
        'POST /api/v2/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n';
      const flood = parseReplies(await service.client.raw(`${body}\r\n{}`.repeat(500)));
      assert.ok(flood.length <= 1, `${flood.length} were answered`);
      const text = await service.client.raw(
        `${`${body}\r\n{}`.repeat(MAX_UNANSWERED - 1)}${body}Connection: close\r\n\r\n{}`,
      );
      assert.deepEqual(parseReplies(text).map(outcome), Array(MAX_UNANSWERED).fill('401 invalid-access-key'));
    });

    test('an answer begins when the one before it has ended', async (t) => {
      const service = await start(t);
      const { id, token } = await service.organization();
      let underWay = 0;
      const most: number[] = [];
      service.replace('webhooks', {
        of: async () => {
          underWay += 1;
          most.push(underWay);
          await pause(20);
          underWay -= 1;
          return null;
        },
      });
      const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`;
      const text = await service.client.raw(`${head}\r\n`.repeat(4) + head + close);
      assert.deepEqual(parseReplies(text).map(outcome), Array(5).fill('200 undefined'));
      assert.deepEqual(most, [1, 1, 1, 1, 1]);
    });

    test('a body that cannot be read behind other requests is refused after their answers', async (t) => {
      const service = await start(t);
      const { id, token } = await service.organization();
      service.replace('webhooks', { of: () => pause(50, null) });
      const path = `${apiBase}/organizations/${id}`;
      const head = `GET ${path}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const broken = `POST ${path}/invite_user HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
      const text = await service.client.raw(head + head + broken);
      assert.deepEqual(parseReplies(text).map(outcome), [
        '200 undefined',
        '200 undefined',
        '400 invalid-request',
      ]);
    });

    test('requests that wait when the server stops are answered', async () => {
      const service = await startHttpService();
      const { id, token } = await service.organization();
      service.replace('webhooks', { of: () => pause(50, null) });
      const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const answers = service.client.raw(head.repeat(3));
      await pause(30);
      const stopped = service.stop();
      const replies = parseReplies(await answers);
      assert.deepEqual(
        replies.map((reply) => [outcome(reply), reply.headers.connection]),
        [
          ['200 undefined', 'keep-alive'],
          ['200 undefined', 'keep-alive'],
          ['200 undefined', 'close'],
        ],
      );
      await stopped;
    });

    test('clients that leave with requests waiting take nothing from the others', async (t) => {
      const service = await start(t, { app: { mostRequests: 20, ready: () => pause(50, []) } });
      for (let turn = 0; turn < 10; turn += 1) {
        const socket = connect(service.client.port, '127.0.0.1', () =>
          socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30)),
        );
        await pause(20);
        socket.destroy();
      }
      await pause(200);
      assert.equal((await service.client.send('GET', '/openapi.json')).status, 200);
    });

    test('garbage after a request is refused after its answer', async (t) => {
      const service = await start(t);
      const { id, token } = await service.organization();
      service.replace('webhooks', { of: () => pause(100, null) });
      const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const text = await service.client.raw(`${head}garbage\r\n\r\n`, 'more garbage');
      assert.deepEqual(parseReplies(text).map(outcome), ['200 undefined', '400 invalid-request']);
    });
  });

  describe('Stopping', () => {
    test('finishes what is under way, closes idle connections and accepts nothing more', async () => {
      const service = await startHttpService();
      const { get } = await service.organization();
      await get('/webhook');
      const held = gate();
      service.replace('webhooks', { of: held.pass });
      const underWay = get('/webhook');
      await held.begun(1);
      const stopped = service.server.stop();
      // What is on its way is still taken for a moment.
      await eventually(() => assert.equal(service.server.server.listening, false));
      await assert.rejects(service.client.raw(health), { code: 'ECONNREFUSED' });
      held.release();
      const { status, headers } = await underWay;
      assert.deepEqual([status, headers.connection], [200, 'close']);
      const start = performance.now();
      await stopped;
      assert.ok(performance.now() - start < 3000);
    });

    test('closes the connection of an answer that had begun as soon as it is out', async () => {
      const service = await startHttpService({ timeouts: { keepAlive: 60_000 } });
      const { get } = await service.organization();
      const held = gate();
      const chunks = async function* () {
        yield Buffer.from('{"name":"a"}');
        await held.pass();
      };
      service.replace('meetings', { export: async () => ({ total: null, chunks: chunks() }) });
      const underWay = get('/export_meetings?column=name');
      await held.begun(1);
      const stopped = service.server.stop();
      held.release();
      assert.equal((await underWay).status, 200);
      const start = performance.now();
      await stopped;
      assert.ok(performance.now() - start < 3000);
    });

    test('answers who asks once more on an idle connection, and tells that it is the last time', async () => {
      const service = await startHttpService();
      const { get } = await service.organization();
      assert.equal((await get('/webhook')).headers.connection, 'keep-alive');
      const stopped = service.server.stop();
      await eventually(() => assert.equal(service.server.server.listening, false));
      const { status, headers } = await get('/webhook');
      assert.deepEqual([status, headers.connection], [200, 'close']);
      await stopped;
    });

    test('keeps an idle connection for as long as its client was told', async () => {
      const service = await startHttpService({ timeouts: { lastRequests: 1500 } });
      const { get } = await service.organization();
      await get('/webhook');
      const begin = performance.now();
      const stopped = service.server.stop();
      await pause(1000);
      assert.equal((await get('/webhook')).status, 200);
      await stopped;
      assert.ok(performance.now() - begin < 3000);
    });

    test('is announced while it still listens: every answer is the last one on its connection', async (t) => {
      const service = await start(t);
      const { get } = await service.organization();
      await get('/webhook');
      service.server.announceStop();
      for (const _again of [1, 2]) {
        const { status, headers } = await get('/webhook');
        assert.deepEqual([status, headers.connection], [200, 'close']);
      }
      assert.ok(service.server.server.listening);
    });

    test('cuts off what takes too long', async () => {
      const service = await startHttpService({ timeouts: { stop: 100 } });
      const { get } = await service.organization();
      const held = gate();
      service.replace('webhooks', { of: held.pass });
      const underWay = assert.rejects(get('/webhook'));
      await held.begun(1);
      await service.server.stop();
      await underWay;
    });

    test('says why when it cannot listen', async (t) => {
      const service = await start(t);
      const other = await startHttpService();
      t.after(() => service.client.close());
      await other.server.stop();
      await assert.rejects(other.server.listen({ port: service.client.port, host: '127.0.0.1' }), {
        code: 'EADDRINUSE',
      });
    });

    test('a connection is kept for further requests, and is closed when it is idle', async (t) => {
      const service = await start(t, { timeouts: { keepAlive: 2000 } });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ports = new Set<number | undefined>();
      for (let count = 0; count < 3; count += 1) {
        await new Promise((resolve) => {
          request({ port: service.client.port, path: '/healthz', agent }, (response) => {
            ports.add(response.socket.localPort);
            response.resume().on('end', () => setImmediate(resolve));
          }).end();
        });
      }
      assert.equal(ports.size, 1);
      agent.destroy();
      const begin = performance.now();
      await service.client.raw(`${health}\r\n`);
      assert.ok(performance.now() - begin < 10_000);
    });
  });

  describe('The log', () => {
    test('has one line a request: method, pattern of the path, status, duration, id, organization', async (t) => {
      const service = await start(t);
      const { id, get } = await service.organization();
      await get('/members/idp-0/upcoming_meetings?page=2', { headers: { 'X-Request-Id': 'logged-1' } });
      await eventually(() => assert.equal(service.lines.length, 1));
      const [{ time, duration, ...line } = {}] = service.lines;
      assert.deepEqual(line, {
        level: 30,
        requestId: 'logged-1',
        method: 'GET',
        route: '/api/v2/organizations/:organizationId/members/:idpId/upcoming_meetings',
        status: 404,
        organizationId: id,
        msg: 'request',
      });
      assert.equal(typeof time, 'number');
      assert.equal(typeof duration, 'number');
    });

    test('never holds a URL, a token, a key or a body', async (t) => {
      const service = await start(t, {
        app: {
          pages: (_request, response) => {
            response.setHeader('Content-Type', 'text/html').end(response.getHeader('x-request-id'));
          },
        },
      });
      const { accessKey, token, post, get } = await service.organization();
      await service.client.send('POST', `${apiBase}/authenticate`, { json: { access_key: accessKey } });
      const { json } = await post('/invite_user', {
        email: 'a@b.test',
        first_name: 'Quixote',
        last_name: 'B',
      });
      await post('/webhook', {
        webhook: { url: 'https://hooks.test/path', enabled: true, events: ['user.registered'] },
      });
      await get('/export_meetings?column=name&time_zone=Secret');
      const invitation = new URL(json.user.invitation_url).pathname;
      await service.client.raw(`GET ${invitation} HTTP/1.1\r\nHost: a\r\n${close}`);
      await service.client.raw('GET /secret-garbage HTTP/9\r\n\r\n');
      await eventually(() => assert.equal(service.lines.length, 6));
      const log = JSON.stringify(service.lines);
      for (const secret of [
        accessKey,
        token,
        invitation,
        'Quixote',
        'a@b.test',
        'hooks.test',
        'Secret',
        'secret',
        'Bearer',
      ]) {
        assert.ok(!log.includes(secret), secret);
      }
    });

    test('tells failures louder, and probes more quietly', async (t) => {
      const service = await start(t, {
        app: {
          ready: async () => [
            { name: 'database', state: 'failed' },
            { name: 'migrations', state: 'unknown' },
          ],
        },
      });
      const { get } = await service.organization();
      await service.client.send('GET', '/healthz');
      await service.client.send('GET', '/readyz');
      service.replace('webhooks', { of: () => Promise.reject(new Error('x')) });
      await get('/webhook');
      await eventually(() =>
        assert.deepEqual(new Set(service.lines.map(({ level }) => level)), new Set([20, 40, 50])),
      );
    });

    test('whoever observes is told the same', async (t) => {
      const seen: unknown[] = [];
      const service = await start(t, {
        app: { observe: ({ seconds, ...rest }) => seen.push(rest, seconds >= 0) },
      });
      await service.client.send('GET', '/healthz');
      await service.client.send('GET', '/nothing');
      await eventually(() => assert.equal(seen.length, 4));
      assert.deepEqual(seen, [
        { method: 'GET', route: '/healthz', status: 200, streamedBytes: 0 },
        true,
        { method: 'GET', route: null, status: 404, streamedBytes: 0 },
        true,
      ]);
    });
  });
}

function outcome({ status, headers }: Reply): string {
  return `${status} ${headers['x-error-code']}`;
}
