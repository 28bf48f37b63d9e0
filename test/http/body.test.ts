import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { apiSuite } from '../support/http/api-suite.js';
import type { Sent } from '../support/http/client.js';
import { callsWithBody, pathOf } from '../support/http/operations.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { apiBase } from '../support/http/service.js';

const mediaType = 'application/json';

// The body is read before anything is asked of the database.
apiSuite((service) => {
  const calls = [
    ...callsWithBody.map((call) => ({ ...call, url: (id: number) => pathOf(id, call.path) })),
    { id: 'authenticate', method: 'POST', url: () => `${apiBase}/authenticate` },
  ];

  for (const { id: operation, method, url } of calls) {
    describe(`${operation}: the body`, () => {
      const send = async (sent: Sent) => {
        const { id, token } = await service().organization();
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': mediaType, ...sent.headers };
        const reply = await service().client.send(method, url(id), { ...sent, headers });
        return { ...reply, code: reply.headers['x-error-code'] };
      };

      const malformed: Readonly<Record<string, string | Buffer>> = {
        'an object that does not end': '{"a":1',
        'no JSON': 'hello',
        'single quotes': "{'a':1}",
        'two values': '{} {}',
        'a comma too many': '{"a":1,}',
        'a comment': '{} // all',
        NaN: 'NaN',
        'a line break in a string': '{"a":"\n"}',
        'an unknown escape': '"\\x"',
        'white space only': '  \n ',
        'bytes that are not UTF-8': Buffer.from('7b2261223a22ff227d', 'hex'),
        'half of a surrogate pair as bytes': Buffer.from('22eda08022', 'hex'),
        'UTF-16': Buffer.from('{"a":1}', 'utf16le'),
        'lists 33 deep': `${'['.repeat(33)}${']'.repeat(33)}`,
        'objects 50,000 deep': '{"a":'.repeat(20_000),
        'lists 100,000 deep': '['.repeat(100_000),
        'quotes that never end': '"\\"'.repeat(30_000),
      };
      for (const [name, body] of Object.entries(malformed)) {
        test(`${name}: 400 malformed-body`, async () => {
          const { status, code } = await send({ body });
          assert.deepEqual([status, code], [400, 'malformed-body']);
        });
      }

      test('nesting counts outside of strings only', async () => {
        const { code } = await send({ body: `{"x":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}` });
        assert.notEqual(code, 'malformed-body');
      });

      test('a byte order mark is accepted', async () => {
        assert.notEqual((await send({ body: '\ufeff{}' })).code, 'malformed-body');
      });

      const [bytes, words] = operation === 'inviteUsers' ? [1_048_576, '1 MB'] : [102_400, '100 KB'];
      for (const chunked of [false, true]) {
        test(`more than ${words} ${chunked ? 'in chunks' : 'at once'}: 413`, async () => {
          for (const size of [bytes + 1, 2_000_000]) {
            const { status, code, json } = await send({ body: `"${'x'.repeat(size - 2)}"`, chunked });
            assert.deepEqual([status, code], [413, 'body-too-large']);
            assert.deepEqual(json, { error: `The body is larger than ${words}` });
          }
        });

        test(`${words} ${chunked ? 'in chunks' : 'at once'} are read`, async () => {
          const { status } = await send({ body: `"${'x'.repeat(bytes - 2)}"`, chunked });
          assert.ok(status === 400 || status === 401 || status === 422, String(status));
        });
      }

      const unsupported: Readonly<Record<string, Sent['headers']>> = {
        'no Content-Type': { 'Content-Type': undefined },
        'an empty Content-Type': { 'Content-Type': '' },
        'plain text': { 'Content-Type': 'text/plain' },
        'another JSON': { 'Content-Type': 'application/vnd.api+json' },
        'two types': { 'Content-Type': 'application/json, text/plain' },
        XML: { 'Content-Type': 'application/xml' },
        'another charset': { 'Content-Type': 'application/json; charset=latin1' },
        'UTF-16 as the charset': { 'Content-Type': 'application/json; charset=utf-16' },
        'an unknown charset': { 'Content-Type': 'application/json; charset=x' },
        gzip: { 'Content-Encoding': 'gzip' },
        brotli: { 'Content-Encoding': 'br' },
        'two encodings': { 'Content-Encoding': 'identity, gzip' },
      };
      for (const [name, headers] of Object.entries(unsupported)) {
        test(`${name}: 415`, async () => {
          const body = headers?.['Content-Encoding'] === undefined ? '{}' : gzipSync('{}');
          const { status, code } = await send({ body, ...(headers && { headers }) });
          assert.deepEqual([status, code], [415, 'unsupported-media-type']);
        });
      }

      for (const type of [
        'APPLICATION/JSON',
        'application/json;charset=UTF-8',
        'application/json; charset="utf-8"; x=y',
      ]) {
        test(`${type} is JSON`, async () => {
          assert.notEqual((await send({ body: '{}', headers: { 'Content-Type': type } })).status, 415);
        });
      }
    });
  }

  test('a byte order mark before a form is accepted', async () => {
    const { id, token } = await service().organization();
    const { status } = await service().client.send('POST', pathOf(id, '/invite_user'), {
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: '\ufeffemail=bom%40example.test&first_name=A&last_name=B',
    });
    assert.equal(status, 200);
  });
});

testSeenAnswers('body');
