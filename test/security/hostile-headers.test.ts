import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  always200,
  base,
  type Call,
  comparable,
  MAX_HEAD_LENGTH,
  outcomeOf,
  type Target,
  useHostileApi,
} from '../support/security/hostile-api.js';

const { everywhere, sendAll, testNoFailure } = useHostileApi();

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
      call({ text }) {
        const bytes = Buffer.from(text).toString('latin1');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that a header must not contain
        if (bytes.length > MAX_HEAD_LENGTH || /[\0-\x08\n-\x1f\x7f]/.test(bytes)) return null;
        return { ...call, sent: { ...call.sent, headers: { ...call.sent?.headers, [name]: bytes } } };
      },
      check,
    };
  }

  test('ignored headers change nothing, even if all of them are hostile at once', async () => {
    const plain = await everywhere(readWebhook);
    await sendAll({
      name: 'every header',
      call(value) {
        const bytes = inHeader('', readWebhook, always200).call(value, 0)?.sent?.headers?.[''];
        if (bytes === undefined || Buffer.byteLength(String(bytes)) > MAX_HEAD_LENGTH / ignored.length)
          return null;
        const headers = Object.fromEntries(ignored.map((name) => [name, bytes]));
        return { ...readWebhook, sent: { headers } };
      },
      check: (reply) => assert.deepEqual(comparable(reply), comparable(plain)),
    });
  });

  test('Host: is refused or ignored', async () => {
    const plain = await everywhere(readWebhook);
    await sendAll(
      inHeader('Host', readWebhook, (reply) => {
        if (reply.status === 400) assert.match(reply.json.error, /^The Host header must be/);
        else assert.deepEqual(comparable(reply), comparable(plain));
      }),
    );
  });

  test('Authorization: is 401 Unauthorized Access', () =>
    sendAll(
      inHeader('Authorization', readWebhook, (reply) =>
        assert.deepEqual(outcomeOf(reply), [401, 'unauthorized-access', 'Unauthorized Access']),
      ),
    ));

  test('Authorization after Bearer: is 401 Unauthorized Access', () =>
    sendAll({
      ...inHeader('Authorization', readWebhook, (reply) =>
        assert.deepEqual(outcomeOf(reply), [401, 'unauthorized-access', 'Unauthorized Access']),
      ),
      call({ text, encoded }) {
        const value = /^[\x20-\x7e]*$/.test(text) ? text : encoded;
        return value.length > MAX_HEAD_LENGTH
          ? null
          : { ...readWebhook, sent: { headers: { Authorization: `Bearer ${value}` } } };
      },
    }));

  for (const name of ['Content-Type', 'Content-Encoding']) {
    test(`${name} with a body: is 415 or ignored`, () => {
      const call = {
        method: 'POST',
        path: `${base}/export_meetings`,
        sent: { headers: json, body: '{"column":[]}' },
      };
      return sendAll(
        inHeader(name, call, (reply) => assert.ok([200, 415].includes(reply.status), reply.text)),
      );
    });
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
