import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createOperatorClient, type OperatorClient, OperatorError } from '@rollcall/contracts/operator';
import {
  type OperatorService,
  operatorToken,
  startOperatorService,
} from '../support/http/operator-service.js';
import { listen } from '../support/listen.js';
import { until } from '../support/wait.js';

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

  test('imports chunks of bytes or text as they are, such as those of a Readable', async () => {
    const bytes = Buffer.from(
      `${JSON.stringify({ ...northwind, name: 'Zoë' })}\n${JSON.stringify(userOf(1))}\n`,
    );
    const pieces = [bytes.subarray(0, 45), Buffer.alloc(0), bytes.subarray(45)];
    const imports = [
      () => client.importRecords(Readable.from(pieces)),
      () => client.importRecords(Readable.from(pieces).setEncoding('utf8')),
      () => client.importRecords(Readable.from([gzipSync(bytes)]), { gzip: true }),
      () => client.importRecords(pieces),
      () => client.importRecords(['', bytes.toString(), userOf(2)]),
    ];
    const counts: number[] = [];
    for (const run of imports) counts.push((await run()).records);
    assert.deepEqual(counts, [2, 2, 2, 2, 3]);
  });

  test('counts lines as the records were given, and the same records have the same bytes', async () => {
    const wrong = await client.importRecords([northwind, { kind: 'user', id: 2 }]).catch((error) => error);
    assert.ok(wrong instanceof OperatorError);
    assert.equal(wrong.errors[0]?.line, 2);
    async function* slowly() {
      yield northwind;
      await pause(1200);
      yield userOf(3);
    }
    const idempotencyKey = 'slow or quick';
    const first = await client.importRecords(slowly(), { idempotencyKey });
    assert.deepEqual(await client.importRecords([northwind, userOf(3)], { idempotencyKey }), first);
  });

  test('reads no more records after an answer that comes early', { timeout: 240_000 }, async () => {
    let made = 0;
    let isEnded = false;
    async function* endless() {
      try {
        for (;;) {
          made += 1;
          yield userOf(made);
          await pause(1);
        }
      } finally {
        isEnded = true;
      }
    }
    const stranger = createOperatorClient({ baseUrl, token: 'another token' });
    await assert.rejects(stranger.importRecords(endless()), { status: 401 });
    assert.ok(await until(() => isEnded, 3000));
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await pause(1);
        controller.enqueue(Buffer.from(`${JSON.stringify(userOf(1))}\n`));
      },
      cancel() {
        isCancelled = true;
      },
    });
    await assert.rejects(stranger.importRecords(stream), { status: 401 });
    assert.ok(await until(() => isCancelled, 3000));
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

describe('Records that are made slowly', { timeout: 240_000 }, () => {
  const server = createServer(
    { headersTimeout: 300, requestTimeout: 0, connectionsCheckingInterval: 50 },
    (request, response) => {
      request.on('data', (piece: Buffer) => (received += piece.toString()));
      request.on('error', () => (isCut = true));
      request.on('end', () => {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(`{"records":1}`);
      });
    },
  );
  let received = '';
  let isCut = false;
  let client: OperatorClient;
  before(async () => {
    const baseUrl = `http://127.0.0.1:${await listen(server)}`;
    client = createOperatorClient({ baseUrl, token: operatorToken });
  });
  beforeEach(() => {
    received = '';
    isCut = false;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const streamOf = (source: () => AsyncIterable<object>): ReadableStream<Uint8Array> => {
    const lines = Readable.from(source()).map((record) => Buffer.from(`${JSON.stringify(record)}\n`));
    return Readable.toWeb(lines) as ReadableStream<Uint8Array>;
  };

  test('begin a request with the first one, however late that is', async () => {
    async function* late() {
      await pause(800);
      yield northwind;
    }
    await client.importRecords(late());
    await client.importRecords(streamOf(late));
    await client.importRecords([]);
    assert.equal(received, text.repeat(2));
  });

  test('are sent while the next one is waited for', async () => {
    async function* waiting() {
      yield northwind;
      assert.ok(await until(() => received !== '', 3000));
      yield northwind;
    }
    await client.importRecords(waiting());
    assert.equal(received, text.repeat(2));
  });

  test('are no longer read after an abort, and what was sent does not look complete', async () => {
    let isEnded = false;
    let made = 0;
    async function* endless() {
      try {
        for (;;) {
          made += 1;
          yield northwind;
          await pause(5);
        }
      } finally {
        isEnded = true;
      }
    }
    const reason = new Error('no longer needed');
    const aborting = new AbortController();
    const sent = client.importRecords(endless(), { signal: aborting.signal });
    assert.ok(await until(() => received !== '', 3000));
    aborting.abort(reason);
    await assert.rejects(sent, reason);
    assert.ok(await until(() => isEnded && isCut, 3000));
    const before = made;
    await pause(50);
    assert.equal(made, before);
  });

  test('can be aborted before the first one', async () => {
    let isReturned = false;
    const never: AsyncIterable<object> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        async return() {
          isReturned = true;
          return { done: true, value: undefined };
        },
      }),
    };
    const reason = new Error('no longer needed');
    const aborting = new AbortController();
    const sent = client.importRecords(never, { signal: aborting.signal });
    aborting.abort(reason);
    await assert.rejects(sent, reason);
    assert.ok(isReturned);
    await assert.rejects(client.importRecords([northwind], { signal: AbortSignal.abort(reason) }), reason);
    assert.equal(received, '');
  });

  test('that fail before the first one throw their own error, and nothing is sent', async () => {
    const reason = new Error('the platform is away');
    // biome-ignore lint/correctness/useYield: it fails before
    async function* failing(): AsyncGenerator<object> {
      throw reason;
    }
    await assert.rejects(client.importRecords(failing()), reason);
    assert.equal(received, '');
  });
});
