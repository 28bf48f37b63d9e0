import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parseReplies } from '../support/http/client.js';
import { checkAnswer } from '../support/http/contract.js';
import { close, health, outcome, outcomes, startFor } from '../support/http/raw.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { apiBase } from '../support/http/service.js';

describe('Invalid HTTP is answered as JSON, and the connection is closed', () => {
  const post = `POST ${apiBase}/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
  const invalid: Readonly<Record<string, string>> = {
    'not a request': 'hello\r\n\r\n',
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
    'an encoding after chunked': `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    'a chunk size that is not a number': `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    'a space before the colon': 'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
    'NUL in a header': 'GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n',
    'a header without a name': 'GET / HTTP/1.1\r\n: a\r\n\r\n',
    'a folded header': 'GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n',
    'a space in the URL': 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n',
    'a CONNECT tunnel': 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n',
  };
  for (const [name, text] of Object.entries(invalid)) {
    test(`${name}: 400`, async (t) => {
      assert.deepEqual(await outcomes(await startFor(t), text), ['400 invalid-request']);
    });
  }

  test('no Host: 400, unless it is HTTP/1.0', async (t) => {
    const service = await startFor(t);
    assert.deepEqual(await outcomes(service, `GET /nothing HTTP/1.1\r\n${close}`), ['400 invalid-request']);
    assert.deepEqual(await outcomes(service, 'GET /nothing HTTP/1.0\r\n\r\n'), ['404 unknown-path']);
  });

  const invalidHeads: Readonly<Record<string, readonly [head: string, error: string]>> = {
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
    'an absolute URL of another host': [
      'GET http://b/healthz HTTP/1.1\r\nHost: a\r\n\r\n',
      'The URL must name the host that the Host header names',
    ],
    'an absolute URL with a user': [
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
  for (const [name, [head, error]] of Object.entries(invalidHeads)) {
    test(`${name}: 400 with the reason, and nothing after it on the connection is read`, async (t) => {
      const seen: string[] = [];
      const service = await startFor(t, { app: { observe: ({ route }) => seen.push(String(route)) } });
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

  test('every valid form of a Host is accepted', async (t) => {
    const service = await startFor(t);
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

  test('an invalid head after a request is refused after the request is answered', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    service.replace('webhooks', { of: () => pause(100, null) });
    const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const text = await service.client.raw(
      `${head}GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${head}`,
    );
    assert.deepEqual(parseReplies(text).map(outcome), ['200 undefined', '400 invalid-request']);
  });

  test('a head of more than 16 KB: 431', async (t) => {
    const service = await startFor(t);
    assert.deepEqual(await outcomes(service, `${health}X: ${'x'.repeat(17_000)}\r\n\r\n`), [
      '431 headers-too-large',
    ]);
    assert.deepEqual(await outcomes(service, `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`), [
      '431 headers-too-large',
    ]);
    assert.deepEqual(await outcomes(service, `${health}${'a:b\r\n'.repeat(9000)}\r\n`), [
      '431 headers-too-large',
    ]);
  });

  test('thousands of small headers are read, and none is dropped', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    const many = 'a:\r\n'.repeat(2500);
    const head = `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\n${many}Authorization: Bearer ${token}\r\n${close}`;
    assert.match(await service.client.raw(head), /^HTTP\/1\.1 200 /);
  });

  test('an unknown expectation is ignored, and 100-continue is answered', async (t) => {
    const service = await startFor(t);
    assert.deepEqual(await outcomes(service, `GET /nothing HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n${close}`), [
      '404 unknown-path',
    ]);
    const body = '{"access_key":1}';
    const text = await service.client.raw(
      `${post}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n${close}`,
      body,
    );
    assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
  });

  test('OPTIONS * is an unknown path, and an absolute URL is read as its path', async (t) => {
    const service = await startFor(t);
    assert.deepEqual(await outcomes(service, `OPTIONS * HTTP/1.1\r\nHost: a\r\n${close}`), [
      '404 unknown-path',
    ]);
    assert.match(
      await service.client.raw(`GET http://a/healthz HTTP/1.1\r\nHost: a\r\n${close}`),
      /^HTTP\/1\.1 200 /,
    );
  });

  test('an upgrade is ignored', async (t) => {
    const service = await startFor(t);
    const head = `GET /nothing HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n`;
    assert.deepEqual(await outcomes(service, head), ['404 unknown-path']);
  });
});

testSeenAnswers('invalid-http');
