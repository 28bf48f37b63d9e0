import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostileTexts } from '@rollcall/core/testing';
import { onDatabase } from '../support/http/on-each-database.js';
import { callsWithBody, pathOf, securedCalls } from '../support/http/operations.js';
import { apiBase } from '../support/http/service.js';

const json = 'application/json';

// PostgreSQL refuses more texts than the others. What is refused before does not depend on the database.
onDatabase('postgres', (service) => {
  const calls = [
    ...callsWithBody.map((call) => ({ ...call, url: (id: number) => pathOf(id, call.path) })),
    { id: 'authenticate', method: 'POST', url: () => `${apiBase}/authenticate` },
  ];

  describe('Hostile values (trap 8)', () => {
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
      'user',
      'idp_id',
      'first_name',
      'last_name',
      'idp_id',
      'users',
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
          const query = `column=${value}&page=${value}&items=${value}&search=${value}&after=${value}&limit=${value}`;
          await Promise.all([
            send(path.replace(/(?<=\/(?:users|members|invitations)\/)[^/]+/, value || 'x')),
            send(`${path}${path.includes('?') ? '&' : '?'}${query}`),
          ]);
        }
      });
    }
  });
});

/** Percent-encodes a value; half of a surrogate pair becomes the bytes that would encode it. */
function encodeHostile(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [...text]
    .map((one) => (/\p{Surrogate}/u.test(one) ? '%ED%A0%80' : encodeURIComponent(one)))
    .join('')
    .replace(/%[^%]{0,1}$/, '');
}
