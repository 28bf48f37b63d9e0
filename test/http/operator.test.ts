import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Unavailable } from '@rollcall/core';
import { ID } from '#app/assembly/identifiers.js';
import { operatorContract } from '../support/http/contract.js';
import {
  ndjson,
  type OperatorService,
  operatorToken,
  startOperatorService,
} from '../support/http/operator-service.js';

const northwind = { kind: 'organization', id: 1, name: 'Northwind', eap: true };
const dana = {
  ...{ kind: 'user', id: 100, uuid: '8f6f2a52-5c1e-4e0a-9d0b-3f2f8f0f6a11', email: 'dana@people.test' },
  ...{ first_name: 'Dana', last_name: 'Kim', created_at: '2026-01-05T09:00:00Z' },
};
const membership = { kind: 'membership', organization_id: 1, user_id: 100, role: 'member' };
const meeting = {
  ...{ kind: 'meeting', id: 5, organization_id: 1, name: 'Grief circle', meeting_type: 'Group' },
  ...{ start_time: '2026-11-20T18:00:00Z', duration: 60, status: 'scheduled', location: 'zoom' },
};
const nothing = { stored: 0, removed: 0 };
const noCounts = {
  ...{ organization: nothing, user: nothing, membership: nothing },
  ...{ meeting: nothing, registration: nothing, waitlist_entry: nothing },
};

describe(`The operator's API`, () => {
  let service: OperatorService;
  before(async () => {
    service = await startOperatorService({ database: 'sqlite' });
  });
  after(() => service.stop());

  const stored = async (table: string): Promise<number> => {
    const row = await service.database.read.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
    return row?.count ?? 0;
  };

  test('refuses every path without the token, and logs that', async () => {
    const before = service.lines.filter(({ security }) => security === 'operator-failed').length;
    const wrong = [undefined, `Bearer ${operatorToken}x`, `Basic ${operatorToken}`, operatorToken];
    const requests = [
      ['POST', '/operator/v1/records'],
      ['GET', '/operator/v1/organizations'],
      ['POST', '/operator/v1/organizations'],
      ['POST', '/operator/v1/organizations/1/access_key'],
      ['POST', '/operator/v1/users/data'],
      ['POST', '/operator/v1/users/erase'],
      ['GET', '/operator/v1/status'],
      ['GET', '/'],
      ['POST', '/api/v2/authenticate'],
    ] as const;
    for (const Authorization of wrong)
      for (const [method, path] of requests) {
        const { status, headers } = await service.client.send(method, path, {
          headers: { Authorization, 'Content-Type': 'application/x-ndjson' },
          ...(method === 'POST' && { body: ndjson([northwind]) }),
        });
        assert.deepEqual([status, headers['x-error-code']], [401, 'unauthorized-access']);
        const error = Authorization?.startsWith('Bearer ') ? ', error="invalid_token"' : '';
        assert.equal(headers['www-authenticate'], `Bearer realm="operator"${error}`);
      }
    const lines = service.lines.filter(({ security }) => security === 'operator-failed');
    assert.equal(lines.length - before, wrong.length * requests.length);
    assert.deepEqual(lines.at(-1)?.address, '127.0.0.1');
    assert.equal(JSON.stringify(service.lines).includes(operatorToken), false);
    assert.equal(await stored('organizations'), 0);
  });

  test('is not served on the public port, and serves nothing else', async () => {
    const unknown = await service.client.send('GET', '/api/v2/healthz', {
      headers: { Authorization: `Bearer ${operatorToken}` },
    });
    assert.deepEqual([unknown.status, unknown.json], [404, { error: 'Not Found' }]);
    const response = await fetch(`http://127.0.0.1:${service.publicPort}/operator/v1/status`, {
      headers: { Authorization: `Bearer ${operatorToken}` },
    });
    assert.equal(response.status, 404);
    const { status, headers } = await service.client.send('PUT', '/operator/v1/organizations', {
      headers: { Authorization: `Bearer ${operatorToken}` },
    });
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD, POST']);
    const broken = await service.get('/organizations/%zz/access_key');
    assert.equal(broken.status, 405);
    assert.equal((await service.post('/organizations/%zz/access_key')).status, 400);
  });

  test('creates an organization and its access keys, and records who did', async () => {
    const created = await service.post('/organizations', { name: 'Fabrikam', eap: true });
    const { organization } = created.json;
    assert.deepEqual(
      [created.status, organization],
      [201, { id: organization.id, name: 'Fabrikam', eap: true, time_zone: null, has_access_key: false }],
    );
    const first = await service.post(`/organizations/${organization.id}/access_key`);
    assert.deepEqual([first.status, first.json.old_key_ends_at], [200, null]);
    const second = await service.post(`/organizations/${organization.id}/access_key`, {
      keep_old_hours: 2,
    });
    const core = service.assembly.get(ID.core);
    for (const { json } of [first, second]) {
      const { token } = await core.authenticate({ accessKey: json.access_key, address: '192.0.2.1' });
      assert.ok(token.reveal().length > 20);
    }
    const endsIn = Date.parse(second.json.old_key_ends_at) - Date.now();
    assert.ok(endsIn > 115 * 60_000 && endsIn <= 120 * 60_000, second.json.old_key_ends_at);
    const { json } = await service.get('/organizations');
    assert.deepEqual(json.organizations.at(-1), { ...organization, has_access_key: true });
    const { items } = await core.listActivity({ organization, page: 1 });
    const by = { who: { kind: 'operator' }, from: '127.0.0.1' };
    assert.deepEqual(
      items.map(({ action, subject, actor }) => [action, subject, actor]),
      [
        ['access-key-replaced', 'the old one works for 2 hours', by],
        ['access-key-generated', null, by],
        ['organization-created', 'Fabrikam', by],
      ],
    );
  });

  test('hands out and erases what is stored about a person, and records who did', async () => {
    const organization = { id: 77, name: 'Personal' };
    await service.records([{ ...northwind, ...organization }]);
    const core = service.assembly.get(ID.core);
    const email = `owner-${organization.id}@people.test`;
    const person = { email, firstName: 'Olga', lastName: 'Owner' };
    await core.registerUser({ ...person, organizationId: organization.id, role: 'owner' });
    const { status, json } = await service.post('/users/data', { email });
    assert.equal(status, 200);
    const { id, name } = organization;
    assert.deepEqual(json.memberships[0].organization, { id, name });
    assert.deepEqual([json.account.email, json.emails, json.events.length], [email, [email], 1]);
    assert.deepEqual((await service.post('/users/data', { uuid: json.account.uuid })).json, json);

    const refused = await service.post('/users/erase', { email });
    const error = `This is the last owner of organization ${id}. Make someone else an owner first`;
    assert.deepEqual([refused.status, refused.json], [409, { error }]);
    const erased = await service.post('/users/erase', { uuid: json.account.uuid, force: true });
    assert.deepEqual([erased.status, erased.json], [200, { organization_ids: [id], without_owner: [id] }]);
    assert.equal((await service.post('/users/data', { email })).status, 404);
    const [entry] = (await core.listActivity({ organization })).items;
    assert.deepEqual(
      [entry?.action, entry?.subject, entry?.actor],
      ['user-erased', null, { who: { kind: 'operator' }, from: '127.0.0.1' }],
    );
  });

  test('names what is wrong with a request', async () => {
    const refused: readonly (readonly [string, unknown, number, string])[] = [
      ['/organizations', {}, 400, 'name is required'],
      ['/organizations', { name: ' ' }, 400, 'name must not be empty'],
      ['/organizations', { name: 'One\nTwo' }, 400, 'name must not contain control characters'],
      ['/organizations', { name: 'One', eap: 'yes' }, 400, 'eap must be true or false'],
      [
        '/organizations',
        { name: 'One', id: 7 },
        400,
        'id is not a field of this request, which has only name, eap',
      ],
      ['/organizations', [], 400, 'The body must be a JSON object'],
      ['/organizations/1/access_key', { keep_old_hours: 169 }, 400, 'keep_old_hours must be at most 168'],
      ['/organizations/1/access_key', { keep_old_hours: -1 }, 400, 'keep_old_hours must be at least 0'],
      ['/organizations/1/access_key', { keep_old_hours: 1.5 }, 400, 'keep_old_hours must be an integer'],
      ...['/users/data', '/users/erase'].flatMap((path) => [
        [path, {}, 400, 'Exactly one of email and uuid is required'] as const,
        [path, { email: 'a@b.test', uuid: 'x' }, 400, 'Exactly one of email and uuid is required'] as const,
        [path, { email: 7 }, 400, 'email must be a string'] as const,
        [path, { email: 'Nobody@example.com' }, 404, 'email: there is no user nobody@example.com'] as const,
        [path, { uuid: 'x' }, 404, 'Nobody has this UUID'] as const,
      ]),
      ['/organizations/4711/access_key', {}, 404, 'There is no organization 4711'],
      ['/organizations/one/access_key', {}, 404, 'There is no organization with this number'],
      ['/organizations/99999999999999999/access_key', {}, 404, 'There is no organization with this number'],
      ['/organizations/01/access_key', {}, 404, 'There is no organization with this number'],
    ];
    for (const [path, body, status, error] of refused) {
      const reply = await service.post(path, body);
      assert.deepEqual([reply.status, reply.json.error], [status, error], path);
    }
    for (const path of ['/organizations', '/status']) {
      const { json } = await service.get(`${path}?page=2`);
      assert.equal(json.error, 'page is not a parameter of this operation, which has none');
    }
    const send = (path: string, type: string, body: string) =>
      service.client.send('POST', `/operator/v1${path}`, {
        headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': type },
        body,
      });
    for (const path of [
      ...['/organizations', '/organizations/1/access_key', '/users/data', '/users/erase'],
    ]) {
      assert.equal((await send(path, 'application/json', '{')).json.error, 'The body is not valid JSON');
      const text = await send(path, 'text/plain', '{}');
      assert.deepEqual([text.status, text.json.error], [415, 'Content-Type must be application/json']);
      const large = await send(path, 'application/json', `{"name":"${'a'.repeat(102_400)}"}`);
      assert.deepEqual([large.status, large.json.error], [413, 'The body is larger than 100 KB']);
    }
  });

  test('imports records, plain and compressed, and the last import is in the status', async () => {
    const { status, json } = await service.records([northwind, dana, membership, meeting]);
    const one = { stored: 1, removed: 0 };
    assert.deepEqual(
      [status, json],
      [
        200,
        {
          dry_run: false,
          records: 4,
          counts: { ...noCounts, organization: one, user: one, membership: one, meeting: one },
          registered: 0,
          warnings: [],
        },
      ],
    );
    const removal = { kind: 'meeting', id: 5, deleted: true };
    const again = await service.records(gzipSync(ndjson([removal])), {
      headers: { 'Content-Encoding': 'gzip' },
      chunked: true,
    });
    const removed = { ...noCounts, meeting: { stored: 0, removed: 1 } };
    assert.deepEqual(again.json.counts, removed);
    assert.equal(await stored('meetings'), 0);

    const { json: state } = await service.get('/status');
    const { began_at, ended_at, ...rest } = state.last_import;
    assert.deepEqual(rest, {
      ...{ source: 'operator', result: 'imported', records: 1, counts: removed, problem: null },
    });
    assert.ok(Date.parse(ended_at) >= Date.parse(began_at));
    assert.deepEqual(
      [state.status, state.checks, state.backlog],
      [
        'ok',
        { database: 'ok', migrations: 'ok' },
        {
          pending: 0,
          sending: 0,
          held: 0,
          failed: 0,
          oldest_pending_at: null,
          oldest_pending_seconds: null,
        },
      ],
    );
    assert.deepEqual(
      state.instances.map(({ version }: { version: string }) => version),
      ['0.1.0'],
    );
  });

  test('refuses all records if some are wrong, line by line', async () => {
    const before = await stored('users');
    const other = {
      ...dana,
      id: 101,
      uuid: '8f6f2a52-5c1e-4e0a-9d0b-3f2f8f0f6a12',
      email: 'ada@people.test',
    };
    const { status, json } = await service.records(
      `${ndjson([other, { ...membership, role: 'boss' }])}{\n${ndjson([{ kind: 'user', id: 0 }])}`,
    );
    assert.deepEqual(
      [status, json],
      [
        422,
        {
          error: 'line 2, field role: must be one of owner, admin, member',
          errors: [
            { line: 2, field: 'role', message: 'must be one of owner, admin, member' },
            { line: 3, field: null, message: 'is not valid JSON' },
            { line: 4, field: 'uuid', message: 'is required' },
          ],
          further: 0,
        },
      ],
    );
    const unknown = await service.records([other, { ...membership, user_id: 4711 }]);
    assert.deepEqual(unknown.json, {
      error: 'line 2, field user_id: there is no user 4711',
      errors: [{ line: 2, field: 'user_id', message: 'there is no user 4711' }],
      further: 0,
    });
    const many = await service.records('{\n'.repeat(14));
    assert.deepEqual([many.json.errors.length, many.json.further], [10, 4]);
    assert.equal(await stored('users'), before);
    const { json: state } = await service.get('/status');
    assert.deepEqual(
      [state.last_import.result, state.last_import.problem, state.last_import.counts],
      ['refused', { line: 1, field: null }, null],
    );
  });

  test('with dry_run, checks and counts everything and stores nothing', async () => {
    const before = [await stored('meetings'), await stored('memberships'), await stored('imports')];
    const records = [meeting, { ...membership, deleted: true }, { ...meeting, id: 6, status: 'limbo' }];
    const dry = await service.records(records, { query: '?dry_run=1' });
    assert.deepEqual(
      [dry.status, dry.json.dry_run, dry.json.counts, dry.json.warnings.length],
      [
        200,
        true,
        { ...noCounts, meeting: { stored: 2, removed: 0 }, membership: { stored: 0, removed: 1 } },
        1,
      ],
    );
    assert.equal((await service.records([{ kind: 'user' }], { query: '?dry_run=1' })).status, 422);
    assert.deepEqual(
      [await stored('meetings'), await stored('memberships'), await stored('imports')],
      before,
    );
    const wrong = await service.records(records, { query: '?dry_run=yes' });
    assert.deepEqual([wrong.status, wrong.json.error], [400, 'dry_run must be one of 0, 1']);
  });

  test('with an Idempotency-Key, answers the same request once, even when it is sent twice at once', async () => {
    const headers = { 'Idempotency-Key': 'nightly 1' };
    const records = [{ ...meeting, id: 7 }];
    const count = await stored('imports');
    const both = await Promise.all([
      service.records(records, { headers }),
      service.records(records, { headers }),
    ]);
    assert.deepEqual([both[0].status, both[1].text], [200, both[0].text]);
    await service.records([{ kind: 'meeting', id: 7, deleted: true }]);
    const again = await service.records(records, { headers });
    assert.deepEqual([again.status, again.text], [200, both[0].text]);
    assert.equal(await stored('meetings'), 0, 'it was not imported again');
    const imported = await service.database.read.all(
      `SELECT 1 AS one FROM imports WHERE result = 'imported' AND key IS NOT NULL`,
    );
    assert.equal(imported.length, 1);
    assert.ok((await stored('imports')) >= count + 2);

    const other = await service.records([{ ...meeting, id: 8 }], { headers });
    assert.deepEqual(
      [other.status, other.headers['x-error-code'], other.json],
      [422, 'idempotency-key-reused', { error: 'This Idempotency-Key was used for another request' }],
    );
    const wrong = await service.records(records, { headers: { 'Idempotency-Key': 'é'.repeat(3) } });
    assert.equal(wrong.json.error, 'Idempotency-Key must be 1 to 255 printable ASCII characters');

    await service.database.write((sql) =>
      sql.run(`UPDATE imports SET ended_at = ? WHERE key = 'nightly 1'`, [
        new Date(Date.now() - 25 * 3_600_000),
      ]),
    );
    assert.equal((await service.records([{ ...meeting, id: 8 }], { headers })).status, 200);
    await service.records([{ kind: 'meeting', id: 8, deleted: true }]);
  });

  test('with an Idempotency-Key, the same request is the same also where gzip data is followed by much padding', async () => {
    const headers = { 'Idempotency-Key': 'nightly 3', 'Content-Encoding': 'gzip' };
    const padded = Buffer.concat([gzipSync(ndjson([northwind])), Buffer.alloc(20_000_000)]);
    const send = () => service.records(padded, { headers, chunked: true });
    const [first, second] = [await send(), await send()];
    assert.deepEqual([first.status, second.status], [200, 200], second.text);
    assert.equal(second.text, first.text);
  });

  test('a refused request keeps no answer, and its key can be used again', async () => {
    const headers = { 'Idempotency-Key': 'nightly 2' };
    assert.equal((await service.records([{ kind: 'user' }], { headers })).status, 422);
    assert.equal((await service.records([northwind], { headers })).status, 200);
  });

  test('a name that is not of this machine or configured is refused, also with the token', async () => {
    const ask = (host: string) =>
      service.client.raw(
        `GET /operator/v1/status HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${operatorToken}\r\nConnection: close\r\n\r\n`,
      );
    assert.match(
      await ask('rebound.example.com'),
      /^HTTP\/1\.1 400 [\s\S]*The Host header must name this port/,
    );
    for (const host of ['127.0.0.1:3100', 'rollcall.default.svc'])
      assert.match(await ask(host), /^HTTP\/1\.1 200 /);
  });

  test('a connection that is cut before the end of the records leaves nothing', async () => {
    const failures = async () =>
      (await service.database.read.all(`SELECT 1 AS one FROM imports WHERE result = 'failed'`)).length;
    const [before, failed] = [await stored('users'), await failures()];
    const lines = Array.from({ length: 2000 }, (_, index) =>
      JSON.stringify({
        ...{ ...dana, id: 1000 + index, email: `user-${index}@people.test` },
        uuid: `8f6f2a52-5c1e-4e0a-9d0b-${String(index).padStart(12, '0')}`,
      }),
    );
    const text = `${lines.join('\n')}\n`;
    for (const head of [{ 'Content-Length': text.length }, { 'Transfer-Encoding': 'chunked' }]) {
      await new Promise<void>((resolve) => {
        const outgoing = request({
          ...{ port: service.client.port, host: '127.0.0.1', method: 'POST', path: '/operator/v1/records' },
          headers: {
            Authorization: `Bearer ${operatorToken}`,
            'Content-Type': 'application/x-ndjson',
            ...head,
          },
        });
        outgoing.on('error', () => resolve());
        outgoing.write(text.slice(0, -10), () => setTimeout(() => outgoing.destroy(), 100));
      });
    }
    for (let tries = 0; (await failures()) < failed + 2 && tries < 500; tries += 1) await pause(20);
    assert.equal(await failures(), failed + 2);
    assert.equal(await stored('users'), before);
    assert.equal((await service.records([northwind])).status, 200, 'the next import works');
  });

  test('refuses other media types and encodings', async () => {
    const typed = (headers: Record<string, string>) =>
      service.records([northwind], { headers }).then(({ json }) => json.error);
    assert.equal(await typed({ 'Content-Type': 'text/plain' }), 'Content-Type must be application/x-ndjson');
    assert.equal(await typed({ 'Content-Encoding': 'br' }), 'Content-Encoding must be gzip or identity');
    const damaged = await service.records(gzipSync(ndjson([northwind])).subarray(0, 40), {
      headers: { 'Content-Encoding': 'gzip' },
    });
    assert.deepEqual(
      [damaged.status, damaged.json.errors],
      [422, [{ line: null, field: null, message: 'the gzip data is damaged or incomplete' }]],
    );
  });

  test('no unexpected error was reported', () => {
    assert.deepEqual(service.reports, []);
  });
});

describe("The operator's API in trouble", () => {
  test('answers 500 for a bug and 503 while the database is away, at every path', async (t) => {
    const service = await startOperatorService({ database: 'sqlite' });
    const paths = [
      () => service.get('/organizations'),
      () => service.post('/organizations', { name: 'One' }),
      () => service.post('/organizations/1/access_key'),
      () => service.post('/users/data', { email: 'a@b.test' }),
      () => service.post('/users/erase', { email: 'a@b.test' }),
      () => service.get('/status'),
      () => service.records([northwind]),
    ];
    t.after(() => service.stop());
    const failures = [
      { error: new Unavailable('The database is away.'), status: 503 },
      { error: new Error('a bug'), status: 500 },
    ];
    for (const { error, status } of failures) {
      const fail = async (): Promise<never> => {
        throw error;
      };
      Object.assign(service.assembly.get(ID.core), {
        ...{ listOrganizations: fail, createOrganization: fail, generateAccessKey: fail },
        ...{ readUserData: fail, eraseUser: fail },
      });
      Object.assign(service.assembly.get(ID.imports), { last: fail, run: fail });
      for (const send of paths) assert.equal((await send()).status, status);
    }
    assert.equal(service.reports.length, paths.length);
  });
});

test('every answer that operator.yaml lists has been seen, with the error of each example', () => {
  const outside = ['400', '408', '431', '500', '503'];
  const listed = operatorContract
    .listedAnswers()
    .filter(({ id, status }) => id !== 'any path' || !outside.includes(status));
  assert.deepEqual(
    listed.filter((answer) => !operatorContract.isSeen(answer)),
    [],
  );
  const unseen = listed.flatMap((answer) =>
    operatorContract.unseenErrors(answer).map((error) => [answer.id, answer.status, error]),
  );
  assert.deepEqual(unseen, []);
});
