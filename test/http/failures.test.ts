import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Organizations, Unavailable } from '@rollcall/core';
import { pathOf, securedCalls } from '../support/http/operations.js';
import { startFor } from '../support/http/raw.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { apiBase, type HttpService } from '../support/http/service.js';
import { eventually, gate } from '../support/wait.js';

const secretReason = 'SELECT * FROM organizations; /srv/app/index.js:12 sqlite 3.50 password=x';

const failing = async (
  t: TestContext,
  error: Error,
): Promise<HttpService & { readonly token: string; readonly id: number }> => {
  const service = await startFor(t);
  const { id, token } = await service.organization();
  const fail = () => Promise.reject(error);
  service.replace('organizations', { byId: fail, byAccessKeyHash: fail } satisfies Partial<Organizations>);
  return { ...service, id, token };
};

describe('Unexpected failures', () => {
  for (const { id: operation, method, path, sent } of securedCalls) {
    const isExport = operation.startsWith('export');
    const expected = isExport
      ? { status: 400, code: 'export-failed', text: '{"error":"The export failed"}', severity: 'info' }
      : {
          status: 500,
          code: 'internal-error',
          text: '{"error":"Internal Server Error"}',
          severity: 'error',
        };

    test(`${operation}: ${expected.status}, reported at severity ${expected.severity}`, async (t) => {
      const error = new TypeError(secretReason);
      const { id, token, client, reports } = await failing(t, error);
      const headers = { Authorization: `Bearer ${token}`, 'X-Request-Id': 'failed-1' };
      const reply = await client.send(method, pathOf(id, path), { ...sent, headers });
      assert.deepEqual(
        { status: reply.status, code: reply.headers['x-error-code'], text: reply.text },
        { status: expected.status, code: expected.code, text: expected.text },
      );
      assert.deepEqual(reports, [{ error, severity: expected.severity, operation, requestId: 'failed-1' }]);
    });

    test(`${operation}: 503 with Retry-After if a database is unreachable, and the log says why`, async (t) => {
      const { id, token, client, reports, lines } = await failing(
        t,
        new Unavailable(secretReason, { retryAfter: 7 }),
      );
      const headers = { Authorization: `Bearer ${token}` };
      const reply = await client.send(method, pathOf(id, path), { ...sent, headers });
      assert.deepEqual([reply.status, reply.text], [503, '{"error":"Service Unavailable"}']);
      assert.deepEqual([reply.headers['x-error-code'], reply.headers['retry-after']], ['unavailable', '7']);
      assert.deepEqual(reports, []);
      await eventually(() => assert.equal(lines.at(-1)?.reason, secretReason));
    });
  }

  test('authenticate: 500 or 503', async (t) => {
    const sent = { json: { access_key: '1'.repeat(24) } };
    const broken = await failing(t, new Error(secretReason));
    assert.equal((await broken.client.send('POST', `${apiBase}/authenticate`, sent)).status, 500);
    assert.equal(broken.reports[0]?.operation, 'authenticate');
    const unreachable = await failing(t, new Unavailable(secretReason));
    assert.equal((await unreachable.client.send('POST', `${apiBase}/authenticate`, sent)).status, 503);
  });

  test('outside the operations: 500 and 503 as JSON, and the failing page is reported', async (t) => {
    const service = await startFor(t, {
      app: {
        pages: ({ path }, _response, next) => {
          if (path === '/broken') throw new Error(secretReason);
          if (path === '/unreachable') throw new Unavailable(secretReason);
          next();
        },
      },
    });
    assert.equal((await service.client.send('GET', '/broken')).text, '{"error":"Internal Server Error"}');
    assert.equal((await service.client.send('GET', '/unreachable')).text, '{"error":"Service Unavailable"}');
    assert.equal((await service.client.send('GET', '/elsewhere')).text, '{"error":"Not Found"}');
    assert.equal(service.reports.length, 1);
  });

  test('pages get every request that is not under /api, with the request id', async (t) => {
    const service = await startFor(t, {
      app: {
        pages: ({ path }, response) => {
          const id = response.getHeader('X-Request-Id');
          response.writeHead(200, { 'Content-Type': 'text/html' }).end(`page ${path} ${id}`);
        },
      },
    });
    for (const path of ['/api', '/api/', '/api/v2', '/api/v2/nothing', '/api/v3/authenticate']) {
      assert.equal((await service.client.send('GET', path)).text, '{"error":"Not Found"}');
    }
    const head = 'GET /apiary HTTP/1.1\r\nHost: a\r\nX-Request-Id: page-1\r\nConnection: close\r\n\r\n';
    assert.match(await service.client.raw(head), /page \/apiary page-1/);
  });

  test('a thrown value that is not an Error: 500', async (t) => {
    const service = await startFor(t);
    const { get } = await service.organization();
    for (const thrown of [
      'text',
      1,
      { status: 200 },
      Object.assign(new Error('x'), { status: 200, headers: { a: 'b' } }),
    ]) {
      service.replace('webhooks', { of: () => Promise.reject(thrown) });
      assert.deepEqual((await get('/webhook')).status, 500);
    }
  });
});

describe('Limits', () => {
  for (const { id: operation, method, path, sent } of securedCalls) {
    test(`${operation}: a request beyond the limit of an organization is 429 with Retry-After, counted after the token is checked`, async (t) => {
      const limitedIds: number[] = [];
      const limitRequests = async (organizationId: number) => limitedIds.push(organizationId) * 0 + 41.2;
      const service = await startFor(t, { app: { limitRequests } });
      const { id, token } = await service.organization();
      const call = (headers: Record<string, string>) =>
        service.client.send(method, pathOf(id, path), { ...sent, headers });
      assert.equal((await call({})).status, 401);
      assert.deepEqual(limitedIds, []);
      const { status, headers } = await call({ Authorization: `Bearer ${token}` });
      assert.deepEqual(
        [status, headers['x-error-code'], headers['retry-after']],
        [429, 'too-many-requests', '42'],
      );
      assert.deepEqual(limitedIds, [id]);
    });
  }

  test('requests beyond the limit get 503, and later requests are answered again', async (t) => {
    const service = await startFor(t, { app: { maxRequests: 2 } });
    const { get } = await service.organization();
    const held = gate();
    service.replace('webhooks', { of: held.pass });
    const waiting = [get('/webhook'), get('/webhook')];
    await held.reached(2);
    const shed = await get('/webhook');
    assert.deepEqual(
      [shed.status, shed.headers['retry-after'], shed.headers['x-error-code']],
      [503, '1', 'unavailable'],
    );
    assert.equal((await service.client.send('GET', '/healthz')).status, 200);
    held.release();
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 200);
    assert.equal((await get('/webhook')).status, 200);
  });
});

testSeenAnswers('failures');
