import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hostileTexts } from '@rollcall/core/testing';
import type { Sent } from '../support/http/client.js';
import { apiBase } from '../support/http/service.js';
import { callsWithBody, pathOf, securedCalls } from './operations.js';
import type { Suite } from './suite.js';

const json = 'application/json';

export const bodySuite: Suite = (service) => {
  const calls = [
    ...callsWithBody.map((call) => ({ ...call, url: (id: number) => pathOf(id, call.path) })),
    { id: 'authenticate', method: 'POST', url: () => `${apiBase}/authenticate` },
  ];

  for (const { id: operation, method, url } of calls) {
    describe(`${operation}: the body`, () => {
      const send = async (sent: Sent) => {
        const { id, token } = await service().organization();
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': json, ...sent.headers };
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
        'bytes that are no UTF-8': Buffer.from('7b2261223a22ff227d', 'hex'),
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

      test('a byte order mark is no mistake', async () => {
        assert.notEqual((await send({ body: '\ufeff{}' })).code, 'malformed-body');
      });

      for (const chunked of [false, true]) {
        test(`more than 100 KB ${chunked ? 'in chunks' : 'at once'}: 413`, async () => {
          for (const size of [102_401, 1_000_000]) {
            const { status, code } = await send({ body: `"${'x'.repeat(size - 2)}"`, chunked });
            assert.deepEqual([status, code], [413, 'body-too-large']);
          }
        });

        test(`100 KB ${chunked ? 'in chunks' : 'at once'} are read`, async () => {
          const { status } = await send({ body: `"${'x'.repeat(102_398)}"`, chunked });
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

  describe('Hostile values anywhere (trap 8)', () => {
    const values: readonly unknown[] = [
      ...hostileTexts,
      'a\u0000b',
      '\ud800',
      '\udfff\ud800',
      null,
      true,
      0,
      -1,
      1.5,
      2 ** 31,
      2 ** 53,
      1e308,
      [],
      {},
      [null],
      { toString: 'x' },
      { length: 1 },
    ];
    const fields = [
      'email',
      'first_name',
      'last_name',
      'webhook',
      'regenerate_secret',
      'column',
      'reporting_days',
      'start_time',
      'end_time',
      'report_type',
      'time_zone',
      'page',
      'per_page',
      'access_key',
      '__proto__',
      'constructor',
    ];
    for (const { id: operation, method, url } of calls) {
      test(`in every field of ${operation}: never a 5xx, and always an answer that openapi.yaml lists`, async () => {
        const { id, token } = await service().organization();
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': json };
        const send = async (name: string, value: unknown): Promise<void> => {
          const body = `{${JSON.stringify(name)}:${JSON.stringify(value)}}`;
          const { status } = await service().client.send(method, url(id), { headers, body });
          assert.ok(status < 500, body);
        };
        for (const name of fields) await Promise.all(values.map((value) => send(name, value)));
      });
    }

    for (const { id: operation, method, path, sent } of securedCalls) {
      test(`in every variable of the path and in the query of ${operation}: never a 5xx`, async () => {
        const { id, token } = await service().organization();
        const headers = { Authorization: `Bearer ${token}` };
        const send = async (hostile: string): Promise<void> => {
          const { status } = await service().client.send(method, pathOf(id, hostile), { ...sent, headers });
          assert.ok(status < 500, hostile);
        };
        for (const value of values.map((value) => encodeHostile(value).slice(0, 5000))) {
          const query = `column=${value}&page=${value}&items=${value}`;
          await Promise.all([
            send(path.replace(/(?<=\/(?:users|members)\/)[^/]+/, value || 'x')),
            send(`${path}${path.includes('?') ? '&' : '?'}${query}`),
          ]);
        }
      });
    }
  });
};

/** Percent-encoded, half surrogate pairs as the bytes that they would be. */
function encodeHostile(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [...text]
    .map((one) => (/\p{Surrogate}/u.test(one) ? '%ED%A0%80' : encodeURIComponent(one)))
    .join('')
    .replace(/%[^%]{0,1}$/, '');
}
