import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import type { ReadinessCheck } from '#adapters/express/app.js';
import { readinessOf } from '#app/readiness.js';
import { apiSuite } from '../support/http/api-suite.js';
import { startFor } from '../support/http/raw.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { publicUrl } from '../support/test-service.js';

apiSuite((service) => {
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    service().client.send(method, path, { headers });

  describe('Paths outside the API', () => {
    test('/healthz says that the process is alive, without querying the database', async () => {
      const before = service().ports.organizations;
      const undo = service().replace('organizations', {
        byId: () => assert.fail('queried'),
        list: () => assert.fail('queried'),
      });
      assert.ok(before);
      const { status, json } = await send('GET', '/healthz');
      undo();
      assert.deepEqual([status, json], [200, { status: 'ok' }]);
      assert.equal((await send('HEAD', '/healthz')).status, 200);
    });

    test('each path is also below the API, where clients with one base URL find it', async () => {
      for (const path of ['/healthz', '/readyz', '/openapi.json']) {
        const [outside, inside] = [await send('GET', path), await send('GET', `/api/v2${path}`)];
        assert.deepEqual([inside.status, inside.text], [200, outside.text]);
        assert.equal((await send('POST', `/api/v2${path}`)).headers.allow, 'GET, HEAD');
      }
    });

    test('a head of more than 16 KB is answered with 431', async () => {
      for (const path of ['/healthz', '/readyz', '/openapi.json'])
        assert.equal((await send('GET', path, { 'X-Large': 'x'.repeat(17_000) })).status, 431);
    });

    test('/readyz says that every check passes', async () => {
      const { status, json } = await send('GET', '/readyz');
      assert.deepEqual([status, json], [200, { status: 'ok', checks: { database: 'ok', migrations: 'ok' } }]);
    });

    test('/readyz?verbose also gives the version of the time zone data', async () => {
      for (const path of ['/readyz?verbose', '/api/v2/readyz?verbose=1'])
        assert.deepEqual((await send('GET', path)).json, {
          status: 'ok',
          checks: { database: 'ok', migrations: 'ok' },
          time_zone_data: process.versions.tz,
        });
    });

    for (const checks of [
      { database: 'ok', migrations: 'failed' },
      { serving: 'failed', database: 'ok', migrations: 'ok' },
    ] as const) {
      const [failed] = Object.entries(checks).find(([, state]) => state === 'failed') ?? [];
      test(`/readyz answers 503 and names the check that fails: ${failed}`, async (t) => {
        const states = Object.entries(checks).map(([name, state]) => ({ name, state }));
        const ready = async () => states as readonly ReadinessCheck[];
        const failing = await startFor(t, { app: { ready } });
        const { status, json, headers } = await failing.client.send('GET', '/readyz');
        assert.deepEqual(
          [status, json, headers['x-error-code']],
          [503, { error: `Service Unavailable: ${failed}`, checks }, 'unavailable'],
        );
        assert.ok(Number(headers['retry-after']) > 0);
      });
    }

    test('/readyz fails while the database can only be read, and says so', async (t) => {
      const ready = readinessOf({
        pendingMigrations: async () => [],
        writeProblem: async () => 'read-only',
      });
      const failing = await startFor(t, { app: { ready } });
      const { status, json } = await failing.client.send('GET', '/readyz');
      const checks = { database: 'failed', migrations: 'ok' };
      assert.deepEqual([status, json], [503, { error: 'Service Unavailable: database (read-only)', checks }]);
    });

    test('/readyz reports an unreachable replica, and is still ready', async (t) => {
      const behind = await startFor(t, {
        app: {
          ready: async () => [
            { name: 'database', state: 'ok' },
            { name: 'migrations', state: 'ok' },
            { name: 'replica', state: 'failed', isInformational: true },
          ],
        },
      });
      const { status, json } = await behind.client.send('GET', '/readyz');
      assert.deepEqual([status, json.checks.replica], [200, 'failed']);
    });

    test('/readyz does not say why the database is unreachable, and does not wait for its answer', async (t) => {
      let calls = 0;
      const pending: (() => Promise<readonly string[]>)[] = [
        () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:5432')),
        () => new Promise(() => undefined),
      ];
      for (const pendingMigrations of pending) {
        const ready = readinessOf(
          {
            pendingMigrations: () => {
              calls += 1;
              return pendingMigrations();
            },
            writeProblem: async () => null,
          },
          100,
        );
        const failing = await startFor(t, { app: { ready } });
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
      assert.ok(calls <= 4, `the check that hangs was called ${calls - 3} times`);
    });

    test('/readyz does not say why the checks themselves failed', async (t) => {
      const ready = () => Promise.reject(new Error('connect ECONNREFUSED /var/lib/postgres:5432'));
      const failing = await startFor(t, { app: { ready } });
      const { status, json } = await failing.client.send('GET', '/readyz');
      const checks = { database: 'failed', migrations: 'unknown' };
      assert.deepEqual([status, json], [503, { error: 'Service Unavailable: database', checks }]);
    });

    test('/openapi.json is the contract with the addresses of this deployment (decision 162)', async () => {
      const { json } = await send('GET', '/openapi.json');
      assert.deepEqual(json.servers, [{ url: `${publicUrl}/api/v2` }]);
      assert.deepEqual(Object.keys(json.paths), Object.keys(openapi().paths));
    });

    test('/openapi.json names the staging address, if there is one, and answers over HTTPS forbid plain HTTP', async (t) => {
      const withStaging = await startFor(t, {
        app: { publicUrl: 'https://api.test', stagingUrl: 'https://staging.test' },
      });
      const { json, headers } = await withStaging.client.send('GET', '/openapi.json');
      assert.deepEqual(
        json.servers.map(({ url }: { url: string }) => url),
        ['https://api.test/api/v2', 'https://staging.test/api/v2'],
      );
      assert.equal(headers['strict-transport-security'], 'max-age=31536000; includeSubDomains');
    });
  });
});

testSeenAnswers('outside-api');
