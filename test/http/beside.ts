import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { readinessOf } from '#app/readiness.js';
import { apiBase, startHttpService } from '../support/http/service.js';
import { publicUrl } from '../support/test-service.js';
import { pathOf, securedCalls } from './operations.js';
import type { Suite } from './suite.js';

export const besideSuite: Suite = (service) => {
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    service().client.send(method, path, { headers });

  describe('Paths and methods (decision 25)', () => {
    const allowed: Readonly<Record<string, string>> = {
      [`${apiBase}/authenticate`]: 'POST',
      [pathOf(1, '/invite_user')]: 'POST',
      [pathOf(1, '/users/x/generate_otl_url')]: 'POST',
      [pathOf(1, '/users/x/one_time_login_link')]: 'POST',
      [pathOf(1, '/members/x/upcoming_meetings')]: 'GET, HEAD',
      [pathOf(1, '/webhook')]: 'GET, HEAD, POST, PATCH',
      [pathOf(1, '/export_meetings')]: 'GET, HEAD, POST',
      '/healthz': 'GET, HEAD',
      '/readyz': 'GET, HEAD',
      '/openapi.json': 'GET, HEAD',
    };
    for (const [path, allow] of Object.entries(allowed)) {
      test(`${path} answers 405 with Allow: ${allow} to every other method`, async () => {
        for (const method of [
          'GET',
          'HEAD',
          'POST',
          'PUT',
          'PATCH',
          'DELETE',
          'OPTIONS',
          'TRACE',
          'PROPFIND',
          'QUERY',
        ]) {
          if (allow.split(', ').includes(method) || method === 'QUERY') continue;
          const { status, headers } = await send(method, path);
          assert.deepEqual([method, status, headers['x-error-code']], [method, 405, 'method-not-allowed']);
          assert.equal(headers.allow, allow);
        }
      });
    }

    test('the specification’s paths are the contract’s', () => {
      const paths = Object.keys(openapi().paths).map((path) => path.replaceAll(/\{\w+\}/g, ':'));
      const known = Object.keys(allowed).map((path) =>
        path.replace(apiBase, '').replace('/1/', '/:/').replace('/x/', '/:/'),
      );
      assert.deepEqual(known.sort(), paths.sort());
    });

    const unknown = [
      '/api',
      '/api/',
      '/api/v1/authenticate',
      '/api/v2',
      '/api/v2/',
      '/api/v2/nothing',
      '/api/v2/authenticate/',
      '/api/v2/Authenticate',
      '/API/v2/authenticate',
      '/api/v2//authenticate',
      '/api/v2/organizations',
      '/api/v2/organizations/1',
      '/api/v2/organizations/1/webhook/',
      '/api/v2/organizations//webhook',
      '/api/v2/organizations/1/2/webhook',
      '/api/v2/organizations/1/export_meetings.json',
      '/authenticate',
      '/nothing',
      '/healthz/',
      '/.env',
      '/?x',
    ];
    for (const path of unknown) {
      test(`${path}: 404 as JSON, with or without a token`, async () => {
        const { token } = await service().organization();
        for (const headers of [{}, { Authorization: `Bearer ${token}`, Accept: 'text/html' }]) {
          for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
            const { status, text } = await send(method, path, headers);
            assert.deepEqual([method, status, text], [method, 404, '{"error":"Not Found"}']);
          }
        }
      });
    }

    test('a path that cannot be decoded: the token is judged first (decision 142)', async () => {
      const { id, token } = await service().organization();
      const bearer = { Authorization: `Bearer ${token}` };
      const asked = async (path: string, headers = {}, method = 'GET') => {
        const { status, headers: told } = await send(method, path, headers);
        return `${status} ${told['x-error-code']}`;
      };
      for (const broken of ['%zz', '%', '%ff', '%ed%a0%80']) {
        const member = pathOf(id, `/members/${broken}/upcoming_meetings`);
        assert.equal(await asked(pathOf(broken, '/webhook')), '401 unauthorized-access');
        assert.equal(await asked(member), '401 unauthorized-access');
        assert.equal(await asked(pathOf(broken, '/webhook'), bearer), '401 not-authorized');
        assert.equal(
          await asked(pathOf(id + 1, '/members/%zz/upcoming_meetings'), bearer),
          '401 not-authorized',
        );
        assert.equal(await asked(member, bearer), '400 invalid-request');
        const link = pathOf(id, `/users/${broken}/generate_otl_url`);
        assert.equal(await asked(link, {}, 'POST'), '401 unauthorized-access');
        assert.equal(await asked(link, bearer, 'POST'), '400 invalid-request');
        assert.equal(await asked(pathOf(broken, '/webhook'), {}, 'DELETE'), '405 method-not-allowed');
        assert.equal(await asked(pathOf(broken, '/nothing')), '404 unknown-path');
      }
    });

    test('X-HTTP-Method-Override and _method mean nothing', async () => {
      const { get, id } = await service().organization();
      const headers = {
        'X-HTTP-Method-Override': 'DELETE',
        'X-HTTP-Method': 'DELETE',
        'X-Method-Override': 'DELETE',
      };
      assert.equal((await get('/webhook?_method=DELETE', { headers })).status, 200);
      assert.equal(
        (await send('DELETE', pathOf(id, '/webhook'), { 'X-HTTP-Method-Override': 'GET' })).status,
        405,
      );
    });
  });

  describe('What every answer carries', () => {
    test('a request id of its own, or the client’s where it is a plain one', async () => {
      const ids = new Set<unknown>();
      for (let count = 0; count < 5; count += 1)
        ids.add((await send('GET', '/healthz')).headers['x-request-id']);
      assert.equal(ids.size, 5);
      for (const id of ['a', 'trace-1.2_3', 'x'.repeat(128)]) {
        assert.equal((await send('GET', '/nothing', { 'X-Request-Id': id })).headers['x-request-id'], id);
      }
      for (const id of ['', 'a b', 'x'.repeat(129), '<script>', 'ä', 'a,b', '"']) {
        const { headers } = await send('GET', '/healthz', { 'X-Request-Id': id });
        assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, id);
      }
    });

    test('two ids of a client are none', async () => {
      const { headers } = await service().client.send('GET', '/healthz', {
        headers: { 'X-Request-Id': ['a', 'b'] },
      });
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    });

    test('may be neither stored nor run, framed or guessed at, and says nothing of what made it', async () => {
      const { get } = await service().organization();
      for (const { headers } of [
        await get('/webhook'),
        await send('GET', '/nothing'),
        await send('GET', '/healthz'),
      ]) {
        assert.equal(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'");
        assert.equal(headers['x-frame-options'], 'DENY');
        assert.equal(headers['referrer-policy'], 'no-referrer');
        assert.equal(headers['www-authenticate'], undefined);
        assert.equal(headers.server, undefined);
        assert.equal(headers['strict-transport-security'], undefined);
        assert.equal(headers['access-control-allow-origin'], undefined);
      }
    });

    test('is never a 304', async () => {
      const { get } = await service().organization();
      const headers = {
        'If-None-Match': '*',
        'If-Modified-Since': new Date(2_000_000_000_000).toUTCString(),
      };
      assert.equal((await get('/webhook', { headers })).status, 200);
    });
  });

  describe('Beside the interface', () => {
    test('/healthz says that the process is alive, and asks nobody', async () => {
      const before = service().ports.organizations;
      const undo = service().replace('organizations', {
        byId: () => assert.fail('asked'),
        list: () => assert.fail('asked'),
      });
      assert.ok(before);
      const { status, json } = await send('GET', '/healthz');
      undo();
      assert.deepEqual([status, json], [200, { status: 'ok' }]);
      assert.equal((await send('HEAD', '/healthz')).status, 200);
    });

    test('/readyz says that every check is right', async () => {
      const { status, json } = await send('GET', '/readyz');
      assert.deepEqual([status, json], [200, { status: 'ok', checks: { database: 'ok', migrations: 'ok' } }]);
    });

    test('/readyz answers 503 and names the check that is not right', async (t) => {
      const failing = await startHttpService({
        app: {
          ready: async () => [
            { name: 'database', state: 'ok' },
            { name: 'migrations', state: 'failed' },
          ],
        },
      });
      t.after(failing.stop);
      const { status, json, headers } = await failing.client.send('GET', '/readyz');
      assert.deepEqual(
        [status, json, headers['x-error-code']],
        [
          503,
          { error: 'Service Unavailable: migrations', checks: { database: 'ok', migrations: 'failed' } },
          'unavailable',
        ],
      );
      assert.ok(Number(headers['retry-after']) > 0);
    });

    test('/readyz tells of a replica that is away, and is ready all the same', async (t) => {
      const behind = await startHttpService({
        app: {
          ready: async () => [
            { name: 'database', state: 'ok' },
            { name: 'migrations', state: 'ok' },
            { name: 'replica', state: 'failed', isInformational: true },
          ],
        },
      });
      t.after(behind.stop);
      const { status, json } = await behind.client.send('GET', '/readyz');
      assert.deepEqual([status, json.checks.replica], [200, 'failed']);
    });

    test('/readyz tells nothing of why the database is away, and waits for no answer of it', async (t) => {
      let asked = 0;
      const pending: (() => Promise<readonly string[]>)[] = [
        () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:5432')),
        () => new Promise(() => undefined),
      ];
      for (const pendingMigrations of pending) {
        const ready = readinessOf(
          {
            pendingMigrations: () => {
              asked += 1;
              return pendingMigrations();
            },
          },
          100,
        );
        const failing = await startHttpService({ app: { ready } });
        t.after(failing.stop);
        const replies = await Promise.all([1, 2, 3].map(() => failing.client.send('GET', '/readyz')));
        for (const { status, json } of replies) {
          assert.deepEqual(
            [status, json],
            [
              503,
              {
                error: 'Service Unavailable: database',
                checks: { database: 'failed', migrations: 'unknown' },
              },
            ],
          );
        }
      }
      assert.ok(asked <= 4, `the one that hangs was asked ${asked - 3} times`);
    });

    test('/openapi.json is the contract with the addresses of this deployment (decision 27)', async () => {
      const { json } = await send('GET', '/openapi.json');
      assert.deepEqual(json.servers, [{ url: `${publicUrl}/api/v2` }]);
      assert.deepEqual(json.paths['/healthz'].servers, [{ url: publicUrl }]);
      assert.deepEqual(Object.keys(json.paths), Object.keys(openapi().paths));
    });

    test('/openapi.json names the staging address where there is one, and answers by HTTPS forbid plain HTTP', async (t) => {
      const both = await startHttpService({
        app: { publicUrl: 'https://api.test', stagingUrl: 'https://staging.test' },
      });
      t.after(both.stop);
      const { json, headers } = await both.client.send('GET', '/openapi.json');
      assert.deepEqual(
        json.servers.map(({ url }: { url: string }) => url),
        ['https://api.test/api/v2', 'https://staging.test/api/v2'],
      );
      assert.equal(headers['strict-transport-security'], 'max-age=31536000; includeSubDomains');
    });

    test('an operation needs its token, whatever the path is called', async () => {
      for (const { method, path, sent } of securedCalls) {
        assert.equal((await service().client.send(method, pathOf(1, path), sent)).status, 401);
      }
    });
  });
};
