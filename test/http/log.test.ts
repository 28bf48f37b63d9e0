import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { close, startFor } from '../support/http/raw.js';
import { apiBase } from '../support/http/service.js';
import { eventually } from '../support/wait.js';
import { webhookAt } from '../support/webhook-at.js';

describe('The log', () => {
  test('has one line for each request: method, route, status, duration, id, organization', async (t) => {
    const service = await startFor(t);
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

  test('never contains a URL, a token, a key or a body', async (t) => {
    const service = await startFor(t, {
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
      webhook: webhookAt('https://hooks.test/path'),
    });
    await get('/export_meetings?column=name&time_zone=Secret');
    const invitation = new URL(json.user.invitation_url).pathname;
    await service.client.raw(`GET ${invitation} HTTP/1.1\r\nHost: a\r\n${close}`);
    await service.client.raw(`GET /reset-password/secret-token HTTP/1.1\r\nHost: a\r\n${close}`);
    await service.client.raw('GET /secret-garbage HTTP/9\r\n\r\n');
    await eventually(() => assert.equal(service.lines.length, 7));
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

  test('logs failures at a higher level, and probes at a lower one', async (t) => {
    const service = await startFor(t, {
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

  test('`observe` gets every request', async (t) => {
    const seen: unknown[] = [];
    const service = await startFor(t, {
      app: { observe: ({ seconds, ...rest }) => seen.push(rest, seconds >= 0) },
    });
    await service.client.send('GET', '/healthz');
    await service.client.send('GET', '/nothing');
    await eventually(() => assert.equal(seen.length, 4));
    assert.deepEqual(seen, [
      { method: 'GET', route: '/healthz', status: 200, streamedBytes: 0, limit: undefined },
      true,
      { method: 'GET', route: null, status: 404, streamedBytes: 0, limit: undefined },
      true,
    ]);
  });
});
