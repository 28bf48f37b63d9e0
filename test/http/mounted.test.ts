import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import express, { type Express } from 'express';
import { ID } from '#app/assembly/identifiers.js';
import { startAssembledService } from '../support/assembled-service.js';
import { listen } from '../support/listen.js';
import { copiedText, pageClient } from '../support/page/client.js';
import { webhookAt } from '../support/webhook-at.js';

const PREFIX = '/partner';
const password = 'a good password';

interface Host {
  readonly url: string;
  readonly accessKey: string;
  /** What a middleware before ours has seen. */
  readonly seen: readonly string[];
}

async function serve(t: TestContext, host: Express): Promise<string> {
  const server = createServer(host);
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

/** An application that parses every body, with routes before and after ours, some of them below our prefix. */
async function startHost(t: TestContext): Promise<Host> {
  const seen: string[] = [];
  const host = express();
  const url = await serve(t, host);
  const publicUrl = `${url}${PREFIX}`;
  const service = await startAssembledService({
    database: 'memory',
    environment: { PUBLIC_URL: publicUrl },
    override(container) {
      container.rebind(ID.isMounted).toConstantValue(true);
      container.rebind(ID.errorTracker).toConstantValue({
        report: (error) => assert.fail(String(error)),
        flush: async () => {},
      });
    },
  });
  t.after(() => service.stop());
  const { core } = service;
  await service.load({
    organizations: [anOrganization(1)],
    users: [aUser(100)],
    memberships: [{ organizationId: 1, userId: 100, role: 'owner', idpId: 'idp-100' }],
  });
  await core.setPassword({ email: aUser(100).email, password: new Secret(password) });
  const { accessKey } = await core.generateAccessKey({ organizationId: 1 });
  host.use((request, response, next) => {
    seen.push(`${request.method} ${request.path}`);
    response.locals.organization = 'the host’s own';
    next();
  });
  host.use(express.json(), express.urlencoded({ extended: true }));
  host.get('/before', (_request, response) => void response.send('before'));
  host.use(PREFIX, service.assembly.get(ID.app));
  host.get(`${PREFIX}/own`, (_request, response) => void response.send(response.locals.organization));
  host.get(`${PREFIX}/api/v2/own`, (_request, response) => void response.send('own'));
  host.use((_request, response) => void response.status(404).send('the host knows nothing here'));
  return { url, accessKey: accessKey.reveal(), seen };
}

async function tokenOf({ url, accessKey }: Host): Promise<string> {
  const answer = await fetch(`${url}${PREFIX}/api/v2/authenticate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ access_key: accessKey }),
  });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { readonly token: string }).token;
}

describe('In another Express application', () => {
  test('all ten operations are answered, and seen by the middleware before them', async (t) => {
    const host = await startHost(t);
    const { url, seen } = host;
    const headers = {
      Authorization: `Bearer ${await tokenOf(host)}`,
      'Content-Type': 'application/json',
    };
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${url}${PREFIX}/api/v2/organizations/1/${path}`, {
        ...{ method, headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown>, answer };
    };
    const uuid = aUser(100).uuid;
    const invited = await ask('POST', 'invite_user', {
      ...{ email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' },
    });
    const user = invited.json.user as { readonly invitation_url: string };
    assert.match(user.invitation_url, new RegExp(`^${url}${PREFIX}/invitations/`));
    const webhook = webhookAt('https://example.com/hook');
    const statuses = [
      invited.status,
      (await ask('POST', `users/${uuid}/generate_otl_url`)).status,
      (await ask('POST', `users/${uuid}/one_time_login_link`)).status,
      (await ask('GET', 'members/idp-100/upcoming_meetings')).status,
      (await ask('POST', 'webhook', { webhook })).status,
      (await ask('PATCH', 'webhook', { webhook: { enabled: false } })).status,
      (await ask('GET', 'webhook')).status,
      (await ask('GET', 'export_meetings?column=name&page=1')).status,
      (await ask('POST', 'export_meetings', { column: ['name'] })).status,
    ];
    assert.deepEqual(statuses, Array(9).fill(200));
    assert.equal(new Set(seen.map((line) => line.replace(/\d+$/, ''))).size, 10);
  });

  test('errors get our answers, although the host has already read the body', async (t) => {
    const host = await startHost(t);
    const answer = await fetch(`${host.url}${PREFIX}/api/v2/organizations/1/invite_user`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await tokenOf(host)}`, 'Content-Type': 'application/json' },
      body: '{"email":"nobody"}',
    });
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get('x-error-code'), 'invalid-request');
  });

  test('the host’s routes before and after ours answer, and unknown paths are left to the host', async (t) => {
    const { url } = await startHost(t);
    const text = async (path: string) => {
      const answer = await fetch(`${url}${path}`, { headers: { Accept: 'text/html' } });
      return [answer.status, await answer.text()];
    };
    assert.deepEqual(await text('/before'), [200, 'before']);
    assert.deepEqual(await text(`${PREFIX}/own`), [200, 'the host’s own']);
    assert.deepEqual(await text(`${PREFIX}/api/v2/own`), [200, 'own']);
    assert.deepEqual(await text(`${PREFIX}/nothing`), [404, 'the host knows nothing here']);
    assert.deepEqual(await text('/api/v2/organizations/1/webhook'), [404, 'the host knows nothing here']);
  });

  test('the pages, their files, forms and redirects stay below the prefix', async (t) => {
    const { url } = await startHost(t);
    const client = pageClient({ url, origin: url });
    const start = await client.open(`${PREFIX}/`);
    assert.deepEqual([start.status, start.location], [303, `${PREFIX}/sign-in`]);
    const page = await client.open(`${PREFIX}/sign-in`);
    const addresses = [...page.text.matchAll(/ (?:href|src|action)="([^"#]+)"/g)].map(
      ([, address]) => address,
    );
    assert.ok(addresses.length > 4);
    assert.deepEqual(
      addresses.filter((address) => !address?.startsWith(`${PREFIX}/`)),
      [],
    );
    for (const address of addresses)
      assert.equal((await client.open(String(address))).status === 404, false, address);
    const signedIn = await client.fillIn(`${PREFIX}/sign-in`, { email: aUser(100).email, password });
    assert.deepEqual([signedIn.status, signedIn.location], [303, `${PREFIX}/meetings`]);
    const settings = await client.open(`${PREFIX}/organizations/1/settings`);
    assert.equal(settings.status, 200);
    assert.equal(copiedText(settings.text, 'base-url'), `${url}${PREFIX}/api/v2`);
    const signedOut = await pageClient({ url, origin: url }).open(`${PREFIX}/organizations/1/people`);
    assert.equal(signedOut.location, `${PREFIX}/sign-in?next=%2Forganizations%2F1%2Fpeople`);
  });
});

describe('An app that is mounted at another path than that of publicUrl', () => {
  test('is served under the path of publicUrl if it is mounted at the root, once', async (t) => {
    const { host, url, warnings } = await startMounted(t, '/');
    host.use((_request, response) => response.status(404).send('the host'));
    for (const path of ['/partner/sign-in', '/sign-in', '/partner/api/v2/healthz'])
      assert.equal((await fetch(`${url}${path}`)).status, 200, path);
    for (const path of ['/partner/partner/sign-in', '/other', '/partner/other'])
      assert.equal(await (await fetch(`${url}${path}`)).text(), 'the host', path);
    assert.deepEqual(warnings, []);
  });

  test('is served once under the path of publicUrl if it is mounted there', async (t) => {
    const { host, url, warnings } = await startMounted(t, '/partner');
    host.use((_request, response) => response.status(404).send('the host'));
    assert.equal((await fetch(`${url}/partner/sign-in`)).status, 200);
    assert.equal(await (await fetch(`${url}/partner/partner/sign-in`)).text(), 'the host');
    assert.deepEqual(warnings, []);
  });

  test('says so elsewhere', async (t) => {
    const { warnings } = await startMounted(t, '/elsewhere');
    assert.deepEqual(warnings, [
      'The links lead to the path of publicUrl, but the app is mounted at another path: mount it at that one',
    ]);
  });
});

async function startMounted(t: TestContext, path: string) {
  const warnings: string[] = [];
  const host = express();
  const url = await serve(t, host);
  const service = await startAssembledService({
    database: 'memory',
    environment: { PUBLIC_URL: `${url}${PREFIX}` },
    override(container) {
      container.rebind(ID.isMounted).toConstantValue(true);
      const warn = (_facts: object, text: string) => warnings.push(text);
      container.rebind(ID.log).toConstantValue({ debug() {}, info() {}, warn, error() {} });
    },
  });
  t.after(() => service.stop());
  warnings.length = 0;
  host.use(path, service.assembly.get(ID.app));
  return { host, url, warnings };
}

test('A service whose PUBLIC_URL has a path answers below that path and without it, because some proxies remove it', async (t) => {
  const publicUrl = 'https://example.com/partner';
  const { assembly } = await startAssembledService({
    database: 'memory',
    environment: { PUBLIC_URL: publicUrl },
  });
  const url = await serve(t, assembly.get(ID.app));
  for (const [path, status] of [
    ['/healthz', 200],
    ['/partner/healthz', 200],
    ['/partner/api/v2/authenticate', 405],
    ['/api/v2/authenticate', 405],
    ['/partner/nothing', 404],
    ['/Partner/healthz', 404],
    ['/partnerhealthz', 404],
  ] as const) {
    const answer = await fetch(`${url}${path}`);
    assert.deepEqual([path, answer.status, answer.headers.get('x-powered-by')], [path, status, null]);
  }
});
