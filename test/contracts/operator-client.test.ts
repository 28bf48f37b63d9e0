import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createOperatorClient, type OperatorClient, OperatorError } from '@rollcall/contracts/operator';
import {
  type OperatorService,
  operatorToken,
  startOperatorService,
} from '../support/http/operator-service.js';

const northwind = { kind: 'organization', id: 1, name: 'Northwind' };
const userOf = (id: number) => ({
  ...{ kind: 'user', id, uuid: `8f6f2a52-5c1e-4e0a-9d0b-${String(id).padStart(12, '0')}` },
  ...{ email: `user-${id}@people.test`, first_name: 'Noor', last_name: 'Haddad' },
});
const text = `${JSON.stringify(northwind)}\n`;

describe("The client of the operator's API", () => {
  let service: OperatorService;
  let client: OperatorClient;
  let baseUrl = '';
  before(async () => {
    service = await startOperatorService({ database: 'sqlite' });
    baseUrl = `http://127.0.0.1:${service.client.port}/operator/v1`;
    client = createOperatorClient({ baseUrl, token: operatorToken });
  });
  after(() => service.stop());

  test('imports a text, bytes, a stream, and records that are made while they are sent', async () => {
    async function* people() {
      for (let id = 1; id <= 5000; id += 1) yield userOf(id);
    }
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(gzipSync(text));
        controller.close();
      },
    });
    const answers = [
      await client.importRecords(text),
      await client.importRecords(new TextEncoder().encode(text)),
      await client.importRecords(gzipSync(text), { gzip: true }),
      await client.importRecords(stream, { gzip: true }),
      await client.importRecords([northwind]),
    ];
    for (const { records, counts } of answers)
      assert.deepEqual([records, counts.organization], [1, { stored: 1, removed: 0 }]);
    const { records, counts } = await client.importRecords(people());
    assert.deepEqual([records, counts.user.stored], [5000, 5000]);
    assert.equal((await client.importRecords([northwind], { dryRun: true })).dry_run, true);
    const first = await client.importRecords([userOf(1)], { idempotencyKey: 'one' });
    assert.deepEqual(await client.importRecords([userOf(1)], { idempotencyKey: 'one' }), first);
  });

  test('stores nothing when making the records fails', async () => {
    async function* failing() {
      yield userOf(9001);
      throw new Error('the platform is away');
    }
    await assert.rejects(client.importRecords(failing()));
    const rows = await service.database.read.all('SELECT 1 AS one FROM users WHERE id = 9001');
    assert.equal(rows.length, 0);
  });

  test('throws an error with the wrong lines, and with what the answer says', async () => {
    const wrong = await client.importRecords('x\n').catch((error: unknown) => error);
    assert.ok(wrong instanceof OperatorError);
    assert.deepEqual(
      [wrong.status, wrong.code, wrong.message, wrong.errors, wrong.retryAfter],
      [
        422,
        'invalid-records',
        'line 1: is not valid JSON',
        [{ line: 1, field: null, message: 'is not valid JSON' }],
        null,
      ],
    );
    assert.match(wrong.requestId ?? '', /^[\w-]{36}$/);
    const many = await client.importRecords('x\n'.repeat(12)).catch((error: unknown) => error);
    assert.ok(many instanceof OperatorError);
    assert.deepEqual([many.errors.length, many.further, wrong.further], [10, 2, 0]);
    const stranger = createOperatorClient({ baseUrl, token: 'another token' });
    await assert.rejects(stranger.readStatus(), { status: 401, code: 'unauthorized-access', errors: [] });
    await assert.rejects(client.generateAccessKey(4711), { status: 404, code: 'organization-not-found' });
  });

  test('creates organizations and keys, and reads the status', async () => {
    const organization = await client.createOrganization({ name: 'Fabrikam' });
    const { access_key } = await client.generateAccessKey(organization.id, { keep_old_hours: 0 });
    assert.match(access_key, /^\d{24}$/);
    assert.deepEqual(
      (await client.listOrganizations()).map(({ name, has_access_key }) => [name, has_access_key]),
      [
        ['Northwind', false],
        ['Fabrikam', true],
      ],
    );
    assert.equal((await client.readStatus()).status, 'ok');
    const { response } = await client.raw.GET('/status');
    assert.equal(response.status, 200);
  });
});
