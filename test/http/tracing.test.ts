import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { aMeeting } from '@rollcall/core/testing';
import express from 'express';
import { gotWebhookSender } from '#adapters/node/webhook/sender.js';
import { ID } from '#app/assembly/identifiers.js';
import { copiedWith } from '../support/copied-rows.js';
import { parseReplies } from '../support/http/client.js';
import { pastMeeting } from '../support/http/exported-meetings.js';
import { startFor } from '../support/http/raw.js';
import { apiBase, type StartHttpService } from '../support/http/service.js';
import { exportPath, startExporting, throwing } from '../support/http/streamed-export.js';
import { listen } from '../support/listen.js';
import { startReceiver } from '../support/receiver.js';
import { type RecordedSpan, recordSpans } from '../support/recorded-spans.js';
import { eventually, gate } from '../support/wait.js';
import { webhookAt } from '../support/webhook-at.js';

const spans = recordSpans();
const traceId = '0af7651916cd43dd8448eb211c80319c';
const remoteId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${remoteId}-01`;
const canary = 'canary-4f1d';
const webhook = {
  webhook: webhookAt('https://hooks.northwind.test/in'),
};

/** The spans, as soon as every one of them has ended. */
async function ended(count = 1): Promise<readonly RecordedSpan[]> {
  await eventually(() => {
    const all = spans.all();
    assert.ok(all.length >= count, 'too few spans');
    assert.deepEqual(
      all.filter(({ ends }) => ends !== 1),
      [],
    );
  });
  return spans.all();
}

/** The span of the request, and those in it. */
async function requestSpans(): Promise<readonly [RecordedSpan, ...(readonly RecordedSpan[])]> {
  const [first, ...others] = await ended();
  assert.ok(first !== undefined);
  return [first, ...others];
}

beforeEach(() => {
  spans.clear();
  spans.recordOnly(/./);
});

describe('The span of a request', () => {
  test('continues the trace of its header, and is named by method and route', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    const path = `${apiBase}/organizations/${id}/webhook?${canary}`;
    const headers = { Authorization: `Bearer ${token}`, traceparent, 'X-Request-Id': 'traced-1' };
    await service.client.send('GET', path, { headers });
    const [{ spanId: _, ...span }] = await requestSpans();
    assert.deepEqual(span, {
      tracer: '@rollcall/express',
      name: 'GET /api/v2/organizations/:organizationId/webhook',
      kind: 'SERVER',
      traceId,
      parentId: remoteId,
      attributes: {
        'http.request.method': 'GET',
        'url.scheme': 'http',
        'http.route': '/api/v2/organizations/:organizationId/webhook',
        'http.response.status_code': 200,
        'rollcall.request.id': 'traced-1',
        'rollcall.organization.id': id,
      },
      isError: false,
      ends: 1,
    });
  });

  test('begins a trace without a header, and with one that cannot be read', async (t) => {
    const { client } = await startFor(t);
    for (const headers of [{}, { traceparent: `${traceparent}-${canary}` }]) {
      spans.clear();
      await client.send('GET', '/openapi.json', { headers });
      const [{ parentId, name }] = await requestSpans();
      assert.deepEqual([parentId, name], [undefined, 'GET /openapi.json']);
    }
  });

  test('does not show an unknown path or an unknown method', async (t) => {
    const { client } = await startFor(t);
    await client.send('GET', `/${canary}`);
    await client.raw(`PROPFIND /${canary} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    const [known, unknown] = await ended(2);
    assert.equal(known?.name, 'GET');
    assert.equal(unknown?.name, 'HTTP');
    assert.equal(unknown?.attributes['http.request.method'], '_OTHER');
  });

  test('does not exist for the checks of health, which are sent every few seconds', async (t) => {
    const { client } = await startFor(t);
    for (const path of ['/healthz', '/readyz', `${apiBase}/healthz`, `${apiBase}/readyz`])
      await client.send('GET', path, { headers: { traceparent } });
    assert.deepEqual(spans.all(), []);
  });

  test('is an error with the type of the failure when a handler fails', async (t) => {
    const service = await startFor(t);
    const { get } = await service.organization();
    service.replace('webhooks', { of: () => Promise.reject(new RangeError(canary)) });
    assert.equal((await get('/webhook')).status, 500);
    const [{ attributes, isError }] = await requestSpans();
    assert.deepEqual([attributes['error.type'], isError], ['RangeError', true]);
    assert.equal(attributes['http.response.status_code'], 500);
  });

  test('is an error when an export fails, although the answer is 400', async (t) => {
    const { own } = await startExporting(t, () => throwing(new RangeError(canary)), 0);
    assert.equal((await own.get(exportPath)).status, 400);
    const [{ attributes, isError }] = await requestSpans();
    assert.deepEqual([attributes['error.type'], isError], ['RangeError', true]);
  });

  test('ends when the client leaves', async (t) => {
    const { pass, release, reached } = gate();
    const service = await startFor(t);
    const { id, token } = await service.organization();
    service.replace('webhooks', { of: pass });
    const client = request({
      ...{ host: '127.0.0.1', port: service.client.port, path: `${apiBase}/organizations/${id}/webhook` },
      headers: { Authorization: `Bearer ${token}`, traceparent },
    });
    client.on('error', () => undefined).end();
    await reached(1);
    assert.equal(spans.all()[0]?.ends, 0);
    client.destroy();
    const [{ attributes, isError }] = await requestSpans();
    assert.equal(attributes['rollcall.cut_off'], true);
    assert.equal(attributes['http.response.status_code'], undefined);
    assert.equal(isError, false);
    release();
  });

  test('has its own parent, also if requests are sent together on one connection', async (t) => {
    const service = await startFor(t);
    const { id, token } = await service.organization();
    const parents = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(16));
    const texts = parents.map(
      (parent, at) =>
        `GET ${apiBase}/organizations/${id}/webhook HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
        `traceparent: 00-${traceId}-${parent}-01\r\n${at === 3 ? 'Connection: close\r\n' : ''}\r\n`,
    );
    assert.equal(parseReplies(await service.client.raw(texts.join(''))).length, 4);
    const all = (await ended(4)).filter(({ tracer }) => tracer === '@rollcall/express');
    assert.deepEqual(
      all.map(({ kind, parentId }) => [kind, parentId]),
      parents.map((parent) => ['SERVER', parent]),
    );
  });

  test('is inside the span of a host that has already begun one', async (t) => {
    const service = await startFor(t, {
      override: (container) => container.rebind(ID.isMounted).toConstantValue(true),
    });
    const outer = trace.getTracer('host').startSpan('of the host');
    const host = express();
    host.use((_request, _response, next) => {
      context.with(trace.setSpan(ROOT_CONTEXT, outer), next);
    });
    host.use('/partner', service.assembly.get(ID.app));
    const server = createServer(host);
    t.after(() => server.close().closeAllConnections());
    const port = await listen(server);
    await fetch(`http://127.0.0.1:${port}/partner/openapi.json`, { headers: { traceparent } });
    outer.end();
    const [, inner] = await ended(2);
    assert.deepEqual([inner?.name, inner?.kind], ['GET /openapi.json', 'INTERNAL']);
    assert.equal(inner?.parentId, outer.spanContext().spanId);
  });
});

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`The spans of statements over ${database}`, () => {
    const start = (t: TestContext, given: StartHttpService = {}) => startFor(t, { database, ...given });
    const system = database === 'sqlite' ? 'sqlite' : 'postgresql';

    test('are parts of their request, and say what each statement does', async (t) => {
      const service = await start(t);
      const { accessKey } = await service.organization();
      spans.clear();
      const sent = { json: { access_key: accessKey }, headers: { traceparent } };
      assert.equal((await service.client.send('POST', `${apiBase}/authenticate`, sent)).status, 200);
      const [server, ...statements] = await requestSpans();
      assert.equal(server.parentId, remoteId);
      const [first] = statements;
      assert.deepEqual(first, {
        tracer: '@rollcall/sql',
        name: 'SELECT organizations',
        kind: 'CLIENT',
        traceId,
        spanId: first?.spanId,
        parentId: server.spanId,
        attributes: {
          'db.system.name': system,
          'db.operation.name': 'SELECT',
          'db.query.summary': 'SELECT organizations',
        },
        isError: false,
        ends: 1,
      });
      assert.ok(statements.every(({ parentId }) => parentId === server.spanId));
    });

    test('a transaction has one for its begin and one for its end', async (t) => {
      const { post } = await (await start(t)).organization();
      spans.clear();
      assert.equal((await post('/webhook', webhook)).status, 200);
      const [, ...statements] = await requestSpans();
      const names = statements.map(({ name }) => name);
      assert.ok(names.includes('INSERT webhooks'));
      // On SQLite they belong to a group of writes, and to no request.
      const ends = database === 'postgres' ? ['BEGIN', 'COMMIT'] : [];
      assert.deepEqual(
        names.filter((name) => name === 'BEGIN' || name === 'COMMIT'),
        ends,
      );
    });

    test('an export has one for its rows, which ends with the export', async (t) => {
      const service = await start(t);
      const { get } = await service.organization({}, (organizationId) => ({
        meetings: [
          aMeeting(organizationId, { ...pastMeeting('2026-11-19T18:00'), organizationId, name: canary }),
        ],
      }));
      spans.clear();
      const { text } = await get(`${exportPath}&report_type=all_meetings`);
      assert.match(text, new RegExp(canary));
      const [server, ...statements] = await requestSpans();
      assert.ok(statements.some(({ name }) => /^SELECT .*\bmeetings\b/.test(name)));
      assert.ok(statements.every(({ parentId }) => parentId === server.spanId));
    });

    test('a failing one has the code of the error', async (t) => {
      const { database: opened } = await start(t);
      assert.ok(opened !== null);
      const outer = trace.getTracer('test').startSpan('outer');
      const run = () => opened.read.all(`SELECT '${canary}' AS ${canary.replace('-', '_')} FROM nowhere`);
      await context.with(trace.setSpan(ROOT_CONTEXT, outer), () => assert.rejects(run));
      outer.end();
      const failed = (await ended(2)).at(-1);
      assert.deepEqual(
        [failed?.name, failed?.isError, failed?.attributes['error.type']],
        ['SELECT nowhere', true, database === 'sqlite' ? 'SQLITE_ERROR' : '42P01'],
      );
    });

    test('exist only inside a span that is recorded', async (t) => {
      const service = await start(t);
      const { get } = await service.organization();
      assert.deepEqual(spans.all(), []);
      spans.recordOnly(/sql/);
      assert.equal((await get('/webhook')).status, 200);
      assert.deepEqual(spans.all(), []);
    });

    test('no span contains a key, a token, an address, a name, a path or a text of the request', async (t) => {
      const service = await start(t, { hasPages: true });
      const { id, accessKey, token, get, post } = await service.organization({ name: canary });
      const secrets = [canary, accessKey, token, token.split('.')[2] ?? token];
      await service.client.send('POST', `${apiBase}/authenticate?${canary}`, {
        json: { access_key: accessKey, [canary]: canary },
      });
      await service.client.send('POST', `${apiBase}/authenticate`, { json: { access_key: canary } });
      await post('/invite_user', {
        user: {
          email: `${canary}@example.com`,
          first_name: canary,
          last_name: canary,
          role: 'member',
          idp_id: canary,
        },
      });
      await post('/webhook', {
        webhook: { url: `https://user:${canary}@${canary}.test/${canary}`, enabled: true },
      });
      await get(`/members/${canary}/upcoming_meetings?query=${canary}`);
      await get(`/users/${canary}`);
      await get(`${exportPath}&report_type=${canary}`);
      const { port } = service.client;
      const headers = { cookie: `${canary}=${canary}`, 'user-agent': canary };
      for (const path of [`/invitations/${canary}`, `/login/${canary}?next=${canary}`, '/login'])
        await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      const all = await ended(10);
      const text = JSON.stringify(all);
      assert.deepEqual(
        secrets.filter((secret) => text.includes(secret)),
        [],
      );
      assert.ok(all.some(({ attributes }) => attributes['rollcall.organization.id'] === id));
    });
  });
}

test('the span of the rows of an export ends when its client leaves', async (t) => {
  const { database } = await startFor(t, { database: 'postgres' });
  assert.ok(database !== null);
  const outer = trace.getTracer('test').startSpan('outer');
  await context.with(trace.setSpan(ROOT_CONTEXT, outer), async () => {
    const { copy, release } = await database.snapshot();
    const rows = copy?.('SELECT id FROM generate_series(1, 1000000) AS numbers (id)', [], copiedWith(''));
    await rows?.next();
    const began = spans.all().at(-1);
    assert.deepEqual([began?.name, began?.ends], ['SELECT', 0]);
    await rows?.return(undefined);
    await release();
  });
  outer.end();
  await ended(2);
});

test('a delivery begins a trace of its own, also if a request has woken the dispatcher', async (t) => {
  const receiver = await startReceiver();
  t.after(receiver.stop);
  const { core, assembly, organization } = await startFor(t, {
    database: 'sqlite',
    real: ['dispatcher'],
    override: (container) =>
      container.rebind(ID.webhookSender).toConstantValue(
        gotWebhookSender({
          allowedNetworks: ['127.0.0.0/8'],
          certificateAuthorities: [receiver.authority],
        }),
      ),
  });
  const { id, post } = await organization();
  const url = `${receiver.url}/${canary}`;
  assert.equal((await post('/webhook', { webhook: { ...webhook.webhook, url } })).status, 200);
  const dispatcher = assembly.get(ID.dispatcher);
  dispatcher.start(core.deliverWebhooks);
  t.after(() => dispatcher.stop());
  await pause(100);
  spans.clear();
  const outer = trace.getTracer('test').startSpan('registers');
  const user = { organizationId: id, email: `${canary}@example.test`, firstName: canary, lastName: canary };
  await context.with(trace.setSpan(ROOT_CONTEXT, outer), () => core.registerUser(user));
  await eventually(() => assert.equal(receiver.requests.length, 1));
  outer.end();
  await eventually(() =>
    assert.ok(spans.all().some(({ name, ends }) => name === 'POST webhook' && ends === 1)),
  );
  const all = spans.all();
  const sent = all.find(({ name }) => name === 'POST webhook');
  assert.equal(sent?.parentId, undefined);
  assert.equal(
    sent?.attributes['rollcall.event.id'],
    JSON.parse(String(receiver.requests[0]?.body)).event_id,
  );
  assert.ok(all.some(({ name }) => name === 'INSERT deliveries'));
  assert.deepEqual(
    all.filter(({ name }) => name === 'UPDATE deliveries'),
    [],
    'claiming belongs to no request',
  );
  assert.ok(!JSON.stringify(all).includes(canary));
});
