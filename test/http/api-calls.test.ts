import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ApiCall } from '@rollcall/core';
import type { Request, Response } from 'express';
import { localsOf } from '#adapters/express/locals.js';
import { endedCall } from '#adapters/express/record-call.js';
import { ID } from '#app/assembly/identifiers.js';
import {
  apiBase,
  type HttpService,
  startHttpService,
  type TestOrganization,
} from '../support/http/service.js';
import { startEmptyPostgresDatabase } from '../support/postgres.js';
import { eventually } from '../support/wait.js';

const uuid = '00000000-0000-4000-8000-000000000009';

describe('The list of API calls (decision 305)', () => {
  let service: HttpService;
  before(async () => {
    service = await startHttpService();
  });
  after(() => service.stop());

  const listed = ({ id }: Pick<TestOrganization, 'id'>) =>
    service.core.listApiCalls({ organization: { id } });
  /** Oldest first, when there are so many. */
  async function calls(
    organization: Pick<TestOrganization, 'id'>,
    count: number,
  ): Promise<readonly ApiCall[]> {
    await eventually(async () => (await listed(organization)).totalItems >= count);
    return (await listed(organization)).items.toReversed();
  }
  const outcome = ({ method, operation, path, status, errorCode }: ApiCall) => [
    ...[method, operation, path, status, errorCode],
  ];

  test('has each call of an operation, with its answer, request ID and time', async () => {
    const organization = await service.organization();
    const { id, get } = organization;
    const base = `${apiBase}/organizations/${id}`;
    await get('/users', { headers: { 'X-Request-Id': 'my-request' } });
    const failed = await get(`/users/${uuid}`);
    await organization.post('/webhook', { webhook: 7 });
    await get('/webhook/deliveries/12');
    await service.client.send('HEAD', `${base}/webhook`, {
      headers: { Authorization: `Bearer ${organization.token}` },
    });
    const found = await calls(organization, 5);
    assert.deepEqual(found.map(outcome), [
      ['GET', 'listUsers', `${base}/users`, 200, null],
      ['GET', 'readUser', `${base}/users/{uuid}`, 404, 'member-not-found'],
      ['POST', 'createWebhook', `${base}/webhook`, 422, 'invalid-webhook'],
      ['GET', 'readDelivery', `${base}/webhook/deliveries/12`, 404, 'delivery-not-found'],
      ['HEAD', 'readWebhook', `${base}/webhook`, 200, null],
    ]);
    assert.deepEqual(
      [found[0]?.requestId, found[1]?.requestId],
      ['my-request', failed.headers['x-request-id']],
    );
    assert.deepEqual(
      found.map(({ errorText }) => errorText),
      [
        null,
        failed.json.error,
        'webhook must be an object with at least enabled, such as {"enabled":true}',
        'There is no delivery 12',
        null,
      ],
    );
    assert.ok(found.every(({ milliseconds }) => Number.isInteger(milliseconds) && milliseconds >= 0));
    assert.deepEqual(found[0]?.at, service.clock.now());
  });

  test('has no value of a path, query or body that may name a person or be a secret', async () => {
    const organization = await service.organization();
    const { id, get, accessKey, token } = organization;
    const secrets = ['jane@example.test', 'employee-4711', 'whsec_secret', uuid, accessKey, token];
    await get('/users?email=jane%40example.test&limit=2&jane@example.test=1&access_token=whsec_secret');
    await get('/members/employee-4711/upcoming_meetings?page=2');
    await get('/users/jane@example.test');
    await get('/export_meetings?column[]=jane@example.test&column[]=employee-4711');
    await get('/users?employee-4711=1&limit=0');
    await organization.post('/invite_user', { 'whsec_secret; employee-4711': 1 });
    await get('/users?a%00%F0%9F%98%80=1');
    await get(`/export_meetings?column%5B%5D=name&column[]=host&per_page=${'9'.repeat(300)}`);
    await organization.post('/invite_user', { email: 'jane@example.test', first_name: uuid, last_name: 'x' });
    await service.client.send('POST', `${apiBase}/authenticate`, { json: { access_key: accessKey } });
    const found = await calls(organization, 10);
    assert.match(String(found[3]?.errorText), /^column must be one of name, /);
    for (const index of [4, 6])
      assert.match(String(found[index]?.errorText), /^… is not a parameter of this /);
    assert.deepEqual(
      found.map(({ path }) => path.replace(`${apiBase}/organizations/${id}`, '')),
      [
        '/users?email&limit&…',
        '/members/{idpId}/upcoming_meetings?page',
        '/users/{uuid}',
        '/export_meetings?column',
        '/users?…&limit',
        '/invite_user',
        '/users?…',
        '/export_meetings?column&per_page',
        '/invite_user',
        `${apiBase}/authenticate`,
      ],
    );
    for (const secret of secrets) assert.ok(!JSON.stringify(found).includes(secret), secret);
  });

  test('says what was wrong without what the client sent, and at most 300 characters of it', () => {
    const shown = (...errorTexts: readonly string[]) => {
      const response = {} as Response;
      Object.assign(localsOf(response), { operation: 'listUsers', callerId: 1, errorTexts });
      return endedCall({ method: 'GET' } as Request, response, 1)?.errorText;
    };
    assert.equal(
      shown('column: "ja\\"ne" is not one of name; <jane@example.test> is a member'),
      'column: … is not one of name; … is a member',
    );
    assert.equal(
      shown('a; b is not a field of this request, which has none', 'email is missing'),
      '… is not a field of this request, which has none; email is missing',
    );
    assert.equal(shown('😀'.repeat(301)), '😀'.repeat(300));
  });

  test('has refused calls of a key or token of the organization, and no call that nobody can be assigned', async () => {
    const [one, other] = [await service.organization(), await service.organization()];
    const { client, core, clock } = service;
    const send = (path: string, token: string) =>
      client.send('GET', `${apiBase}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    await send(`/organizations/${other.id}/webhook`, one.token);
    await send(`/organizations/${one.id}/webhook`, 'forged');
    await send(`/organizations/${one.id}/nothing`, one.token);
    await client.send('POST', `${apiBase}/authenticate`, { json: { access_key: '0'.repeat(24) } });
    await core.generateAccessKey({ organizationId: one.id, keepOldForHours: 1 });
    const start = clock.now();
    clock.advance(2 * 60 * 60 * 1000);
    await client.send('POST', `${apiBase}/authenticate`, { json: { access_key: one.accessKey } });
    clock.set(start);
    await core.generateAccessKey({ organizationId: one.id });
    await send(`/organizations/${one.id}/webhook`, one.token);
    const webhook = (id: number) => `${apiBase}/organizations/${id}/webhook`;
    assert.deepEqual((await calls(one, 3)).map(outcome).sort(), [
      ['GET', 'readWebhook', webhook(one.id), 401, 'unauthorized-access'],
      ['GET', 'readWebhook', webhook(other.id), 401, 'not-authorized'],
      ['POST', 'authenticate', `${apiBase}/authenticate`, 401, 'invalid-access-key'],
    ]);
    assert.deepEqual((await listed(other)).items, []);
  });

  test('says that an answer was cut off', async () => {
    const organization = await service.organization();
    const leaving = new AbortController();
    let answer = (): void => {};
    const restore = service.replace('webhooks', {
      of: () =>
        new Promise((resolve) => {
          answer = () => resolve(null);
          leaving.abort();
        }),
    });
    const url = `http://127.0.0.1:${service.client.port}${apiBase}/organizations/${organization.id}/webhook`;
    const headers = { Authorization: `Bearer ${organization.token}` };
    await assert.rejects(fetch(url, { headers, signal: leaving.signal }));
    const [call] = await calls(organization, 1);
    answer();
    restore();
    assert.equal(call?.status, null);
  });
});

test('has the calls of every instance, also of one that stops before the second is over', async (t) => {
  const { database, stop } = await startEmptyPostgresDatabase();
  t.after(stop);
  const instances = await Promise.all([0, 1].map(() => startHttpService({ database })));
  const [one, two] = instances as [HttpService, HttpService];
  const organization = await one.organization();
  const headers = { Authorization: `Bearer ${organization.token}` };
  for (const { client } of instances)
    await client.send('GET', `${apiBase}/organizations/${organization.id}/webhook`, { headers });
  for (const { assembly } of instances) await assembly.get(ID.callLog).stop();
  const { items } = await two.core.listApiCalls({ organization });
  assert.deepEqual(
    items.map(({ operation }) => operation),
    ['readWebhook', 'readWebhook'],
  );
  for (const instance of instances) await instance.stop();
});
