import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Refusal } from '@rollcall/core';
import { aMeeting, anOrganization, aUser, fixedClock } from '@rollcall/core/testing';
import { sqliteDriverPackage } from '#adapters/sql/index.js';
import { httpClient } from '../support/http/client.js';
import { type GoldenService, goldenSuite } from '../support/http/golden-examples.js';
import { replaceMethods, type StartHttpService, signedIn } from '../support/http/service.js';
import { eventually } from '../support/http/wait.js';
import { type PackedCore, root } from '../support/packed-core.js';
import { type ReceivedRequest, startReceiver } from '../support/receiver.js';
import { publicUrl, testNow, testSecretKey } from '../support/test-service.js';

export type Harbor = typeof import('../foreign-service/service.js') &
  typeof import('../foreign-service/load.js') &
  typeof import('../foreign-service/sender.js') &
  typeof import('../foreign-service/database.js');

/** Tests another service over the packed core: its responses must match the contract. */
export function foreignServiceSuite(harbor: Harbor): void {
  const start = (given: StartHttpService) => startForeignService(harbor, given);
  describe('Another service responds as the contract shows', () => {
    goldenSuite(start, { without: ['list-export-columns', 'read-openapi', 'read-readiness'] });
  });
  describe('Another service, beyond the examples', () => extraSuite(harbor));
}

/**
 * Compiles the service with nothing but the packed core, and loads it. Importing `promises.js` registers its tests in
 * the runner of this process, which test every promise of the ports of the service.
 */
export async function compileForeignService(packed: PackedCore): Promise<Harbor> {
  for (const name of ['@types/better-sqlite3', '@types/node', 'undici-types']) packed.link(name);
  packed.link('better-sqlite3', sqliteDriverPackage(process.versions.node));
  const folder = join(packed.folder, 'harbor');
  cpSync(join(root, 'test', 'foreign-service'), folder, { recursive: true });
  packed.run([join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', folder]);

  const load = (name: string) => import(pathToFileURL(join(folder, 'dist', `${name}.js`)).href);
  const parts = await Promise.all(['service', 'load', 'sender', 'database'].map(load));
  await load('promises');
  return Object.assign({}, ...parts) as Harbor;
}

type ForeignService = GoldenService & {
  readonly service: Awaited<ReturnType<Harbor['startService']>>;
  readonly bugs: readonly unknown[];
};

async function startForeignService(
  { startService, loadDataset }: Harbor,
  { settings = {}, ports = {} }: StartHttpService,
): Promise<ForeignService> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-harbor-'));
  const bugs: unknown[] = [];
  const service = await startService({
    file: join(folder, 'harbor.db'),
    secretKey: testSecretKey,
    publicUrl,
    port: 0,
    settings,
    ports: { clock: fixedClock(testNow), ...ports },
    onBug: (error) => bugs.push(error),
  });
  const client = httpClient(service.port);
  return {
    service,
    bugs,
    client,
    load: async (dataset) => loadDataset(service.database, dataset),
    signIn: (id) => signedIn(service, client, id),
    replace: (name, methods) => replaceMethods(service.ports[name] ?? {}, methods),
    async stop() {
      client.close();
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function extraSuite(harbor: Harbor): void {
  const start = async (t: TestContext, given: StartHttpService = {}): Promise<ForeignService> => {
    const service = await startForeignService(harbor, given);
    t.after(service.stop);
    await service.load({ organizations: [anOrganization(1)], users: [aUser(1)] });
    return service;
  };

  /** Starts a service with a webhook that points to a receiver on this machine. */
  const startWithReceiver = async (t: TestContext, { enabled }: { readonly enabled: boolean }) => {
    const receiver = await startReceiver();
    t.after(receiver.stop);
    const isAllowed = (address: string): boolean => address === '127.0.0.1';
    const webhookSender = harbor.httpsSender({ isAllowed, ca: receiver.authority });
    const service = await start(t, { ports: { webhookSender } });
    const own = await service.signIn(1);
    const webhook = { url: receiver.url, enabled, events: ['user.registered'] };
    const { json } = await own.post('/webhook', { webhook });
    return { service, receiver, secret: json.webhook.secret as string };
  };

  test('it uses the packed core and no other', async (t) => {
    const { service } = await start(t);
    await assert.rejects(
      service.core.authorize({ token: null, organizationId: '1' }),
      (error: Error) => error instanceof Refusal && error.constructor !== Refusal,
    );
  });

  test('an unknown path gets 404, a wrong method 405, and an unsupported media type 415', async (t) => {
    const service = await start(t);
    const own = await service.signIn(1);
    assert.equal((await own.get('/nothing')).status, 404);
    const wrong = await own.patch('/invite_user', {});
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'POST']);
    const headers = { 'Content-Type': 'text/plain' };
    assert.equal((await own.post('/invite_user', undefined, { headers, body: 'dana' })).status, 415);
  });

  test('a locked database gets 503 with Retry-After', async (t) => {
    const service = await start(t);
    const own = await service.signIn(1);
    const other = harbor.openDatabase(service.service.database.file);
    t.after(other.close);
    const person = { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' };
    other.run('BEGIN IMMEDIATE');
    const busy = await own.post('/invite_user', person);
    assert.deepEqual([busy.status, busy.headers['retry-after']], [503, '1']);
    other.run('ROLLBACK');
    assert.equal((await own.post('/invite_user', person)).status, 200);
  });

  test('a bug gets 500 without details, and is reported', async (t) => {
    const service = await start(t);
    const own = await service.signIn(1);
    const bug = new Error('the table is gone');
    service.replace('webhooks', { of: () => Promise.reject(bug) });
    const reply = await own.get('/webhook');
    assert.deepEqual([reply.status, reply.json], [500, { error: 'Internal Server Error' }]);
    assert.deepEqual(service.bugs, [bug]);
  });

  test('thousands of rows are exported completely', async (t) => {
    const service = await start(t);
    const own = await service.signIn(1);
    const meetings = Array.from({ length: 3000 }, (_, index) => aMeeting(index + 1, { status: 'complete' }));
    await service.load({ meetings });
    const { json } = await own.get('/export_meetings?column=name');
    assert.deepEqual(
      json.meetings,
      meetings.map(({ name }) => ({ name })),
    );
  });

  test('an export that fails in the middle is cut off and reported', async (t) => {
    const service = await start(t);
    const own = await service.signIn(1);
    const failure = new Error('the disk is gone');
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"name":"a"}');
      throw failure;
    }
    service.replace('meetings', { export: async () => ({ total: null, chunks: chunks() }) });
    await assert.rejects(own.get('/export_meetings?column=name'), { code: 'ECONNRESET' });
    assert.deepEqual(service.bugs, [failure]);
  });

  test('a client that disconnects during an export is not reported, and the rows are released', async (t) => {
    const service = await start(t);
    const { token } = await service.signIn(1);
    let isReleased = false;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.alloc(100_000, ' ');
      } finally {
        isReleased = true;
      }
    }
    service.replace('meetings', { export: async () => ({ total: null, chunks: chunks() }) });
    const path = '/api/v2/organizations/1/export_meetings?column=name';
    const headers = { Authorization: `Bearer ${token}` };
    const outgoing = request({ port: service.service.port, host: '127.0.0.1', path, headers });
    outgoing.on('error', () => undefined).on('response', () => outgoing.destroy());
    outgoing.end();
    await eventually(() => assert.ok(isReleased));
    assert.deepEqual(service.bugs, []);
  });

  test('a registration reaches the receiver with a signature, and is logged', async (t) => {
    const { service, receiver, secret } = await startWithReceiver(t, { enabled: true });
    await service.service.core.registerUser({
      organizationId: 1,
      ...{ email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' },
    });

    const { core, database } = service.service;
    await eventually(() => assert.ok(database.get('SELECT 1 FROM letters WHERE ended IS NOT NULL')));
    const { deliveries, older } = await core.listDeliveries({ organization: { id: 1 } });
    const [delivery] = deliveries;
    assert.deepEqual([delivery?.state, delivery?.attempts[0]?.status, older], ['delivered', 200, null]);
    const [received] = receiver.requests;
    const mac = createHmac('sha256', secret).update(received?.body ?? '');
    assert.equal(headerOf(received, 'X-Service-Signature'), `sha256=${mac.digest('hex')}`);
    assert.equal(headerOf(received, 'X-Service-Test'), undefined);
    assert.equal((await core.readWebhookHealth({ organization: { id: 1 } })).failuresInRow, 0);
  });

  test('a test of the webhook is marked for the receiver and in the log, even while the webhook is disabled', async (t) => {
    const { service, receiver } = await startWithReceiver(t, { enabled: false });
    const { core } = service.service;
    const organization = { id: 1, name: 'Organization 1' };
    const { state, eventId } = await core.testWebhook({ organization });
    assert.equal(state, 'delivered');
    assert.equal(headerOf(receiver.requests[0], 'X-Service-Test'), 'true');
    const { deliveries } = await core.listDeliveries({ organization, isTest: true });
    assert.deepEqual(
      deliveries.map((delivery) => [delivery.eventId, delivery.state]),
      [[eventId, 'delivered']],
    );
  });
}

function headerOf(request: ReceivedRequest | undefined, name: string): string | undefined {
  return request?.headers.find(([known]) => known === name)?.[1];
}
