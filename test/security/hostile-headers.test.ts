import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  base,
  type Call,
  comparable,
  outcomeOf,
  type Target,
  useHostileApi,
} from '../support/security/hostile-api.js';
import { headerBytes, MAX_HEAD_LENGTH } from '../support/security/hostile-values.js';

const { everywhere, testEach, testNoFailure } = useHostileApi();

const json = { 'Content-Type': 'application/json' };

describe('Hostile values in every header', () => {
  const readWebhook: Call = { method: 'GET', path: `${base}/webhook` };
  const ignored = [
    ...['Accept', 'Accept-Language', 'Accept-Encoding', 'Accept-Charset', 'Cookie', 'Origin', 'Referer'],
    ...[
      'User-Agent',
      'X-Request-Id',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'Forwarded',
    ],
    ...['X-HTTP-Method-Override', 'X-Original-URL', 'X-Rewrite-URL', 'Range', 'If-None-Match'],
    ...['If-Modified-Since', 'Expect', 'Sec-Fetch-Site', 'Content-Type', 'Content-Encoding', 'Upgrade'],
  ];

  /** The bytes that Node’s client sends; the test of line breaks covers the others. */
  function inHeader(name: string, call: Call, check: Target['check']): Target {
    return {
      name,
      call(value) {
        const bytes = headerBytes(value);
        if (bytes === null) return null;
        return { ...call, sent: { ...call.sent, headers: { ...call.sent?.headers, [name]: bytes } } };
      },
      check,
    };
  }

  let plain: unknown;
  before(async () => {
    plain = comparable(await everywhere(readWebhook));
  });
  const isPlain: Target['check'] = (reply) => assert.deepEqual(comparable(reply), plain);
  const isUnauthorized: Target['check'] = (reply) =>
    assert.deepEqual(outcomeOf(reply), [401, 'unauthorized-access', 'Unauthorized Access']);

  testEach('ignored headers change nothing, even if all of them are hostile at once', {
    name: 'every header',
    call(value) {
      const bytes = headerBytes(value);
      if (bytes === null || Buffer.byteLength(bytes) > MAX_HEAD_LENGTH / ignored.length) return null;
      const headers = Object.fromEntries(ignored.map((name) => [name, bytes]));
      return { ...readWebhook, sent: { headers } };
    },
    check: isPlain,
  });

  testEach(
    'Host: is refused or ignored',
    inHeader('Host', readWebhook, (reply, value) => {
      if (reply.status === 400) assert.match(reply.json.error, /^The Host header must be/);
      else isPlain(reply, value);
    }),
  );

  testEach(
    'Authorization: is 401 Unauthorized Access',
    inHeader('Authorization', readWebhook, isUnauthorized),
  );

  testEach('Authorization after Bearer: is 401 Unauthorized Access', {
    name: 'Bearer',
    call({ text, encoded }) {
      const value = /^[\x20-\x7e]*$/.test(text) ? text : encoded;
      return value.length > MAX_HEAD_LENGTH
        ? null
        : { ...readWebhook, sent: { headers: { Authorization: `Bearer ${value}` } } };
    },
    check: isUnauthorized,
  });

  for (const name of ['Content-Type', 'Content-Encoding']) {
    const sent = { headers: json, body: '{"column":[]}' };
    testEach(
      `${name} with a body: is 415 or ignored`,
      inHeader(name, { method: 'POST', path: `${base}/export_meetings`, sent }, (reply) =>
        assert.ok([200, 415].includes(reply.status), reply.text),
      ),
    );
  }
});

describe('What openapi.yaml and the core must agree on', () => {
  test('an international address is answered as openapi.yaml describes it', () =>
    everywhere({
      method: 'POST',
      path: `${base}/invite_user`,
      sent: { json: { email: 'ülf@exämple.test', first_name: 'Ülf', last_name: 'Kim' } },
    }).then(({ status }) => assert.equal(status, 200)));

  test('a webhook URL in capitals is answered as openapi.yaml describes it', () =>
    everywhere({
      method: 'POST',
      path: `${base}/webhook`,
      sent: { json: { webhook: { url: 'HTTPS://EXAMPLE.TEST/Hook', enabled: false } } },
    }).then(({ status }) => assert.equal(status, 200)));
});

testNoFailure();
