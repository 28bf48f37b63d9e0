import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import pg from 'pg';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { readinessOf } from '#app/readiness.js';
import { eventName } from '#core/testing/subscribe.js';
import { selfSigned } from '../../support/certificates.js';
import { startHttpService } from '../../support/http/service.js';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.js';
import { slowness } from '../../support/slowness.js';
import { eventually } from '../../support/wait.js';

/** The connections that operating.md promises for requests and deliveries. */
const PROMISED = 10;
const TIMEOUT_MS = 1_500;

let server: PostgresServer;
let admin: pg.Client;
before(async () => {
  server = await startPostgresServer({
    small: true,
    certificate: await selfSigned(),
    settings: ['synchronous_commit=on', `unix_socket_directories=${tmpdir()}`],
  });
  admin = new pg.Client(server.url());
  await admin.connect();
  await admin.query('SET synchronous_commit = local');
  await admin.query('CREATE TABLE things (id bigint PRIMARY KEY)');
  await admin.query('CREATE TABLE held (id bigint PRIMARY KEY)');
});
after(async () => {
  await admin.end();
  await server.remove();
});

async function opened(context: TestContext, url = server.url()): Promise<Database> {
  const database = await openDatabase(url, { timeoutMs: TIMEOUT_MS });
  context.after(() => database.close());
  return database;
}

interface Backend {
  readonly pid: number;
  readonly state: string;
  readonly wait_event: string | null;
}

/** The processes that the server has for this service. */
async function backends(): Promise<readonly Backend[]> {
  const { rows } = await admin.query<Backend>(
    `SELECT pid, state, wait_event FROM pg_stat_activity WHERE application_name = 'rollcall'`,
  );
  return rows;
}

/** Watches the number of processes until `stop`, which returns the highest. */
function countBackends(): { stop(): Promise<number> } {
  let highest = 0;
  let isStopped = false;
  const counting = (async () => {
    while (!isStopped) {
      highest = Math.max(highest, (await backends()).length);
      await pause(20);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await counting;
      return highest;
    },
  };
}

async function setStandby(name: string): Promise<void> {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await admin.query('SELECT pg_reload_conf()');
  await pause(300);
}

/** Locks the table `held`, and returns what unlocks it. */
async function lockHeld(context: TestContext): Promise<() => Promise<unknown>> {
  const holder = new pg.Client(server.url());
  await holder.connect();
  context.after(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE held');
  return () => holder.query('ROLLBACK');
}

async function add(database: Database, id: number, table = 'things'): Promise<'stored' | Unavailable> {
  try {
    await database.write((sql) => sql.run(`INSERT INTO ${table} VALUES (?)`, [id]));
    return 'stored';
  } catch (error) {
    assert.ok(error instanceof Unavailable, String(error));
    return error;
  }
}

/** Writes in several bursts, and returns what came of each. */
async function burst(database: Database, { first, table = 'things' }: { first: number; table?: string }) {
  const results: ('stored' | Unavailable)[] = [];
  for (let round = 0; round < 2; round += 1) {
    const ids = Array.from({ length: 15 }, (_, index) => first + 15 * round + index);
    results.push(...(await Promise.all(ids.map((id) => add(database, id, table)))));
  }
  return results;
}

describe('Statements that are given up', () => {
  test('while a synchronous standby is away leave no process behind, and say what they wait for', async (context) => {
    const database = await opened(context);
    context.after(() => setStandby(''));
    await setStandby('nobody');
    const counted = countBackends();
    const results = await burst(database, { first: 0 });
    const isKnown = async () => (await database.writeProblem()) === 'waiting for a synchronous standby';
    await eventually(isKnown, 'it does not know what it waits for');
    const later = await burst(database, { first: 100 });
    assert.ok((await counted.stop()) <= PROMISED);
    const unknown = results.flatMap((result, id) =>
      result !== 'stored' && result.isOutcomeUnknown ? [id] : [],
    );
    assert.ok(unknown.length >= 1 && unknown.length <= PROMISED, `${unknown.length} outcomes are unknown`);
    for (const result of later) assert.match(String(result), /waiting for a synchronous standby/);
    // One asks whether the standby is back.
    const waiting = async () => (await backends()).filter(({ wait_event: on }) => on === 'SyncRep').length;
    await eventually(async () => (await waiting()) <= 1, 'processes still wait');
    await pause(1_000);
    assert.equal(await database.writeProblem(), 'waiting for a synchronous standby');
    assert.deepEqual(await database.read.all('SELECT 1 AS one'), [{ one: 1 }]);
    assert.equal(
      await database.write((sql) => sql.get('SELECT 1 AS one'), { isMinor: true }).then(() => 'stored'),
      'stored',
    );
    await setStandby('');
    await eventually(async () => (await database.writeProblem()) === null, 'the standby is still missed');
    assert.equal(await add(database, 1000), 'stored');
    // What is said to be unknown was stored here; what was refused was not.
    const stored = await database.read.all<{ id: number }>('SELECT id FROM things ORDER BY id');
    assert.deepEqual(
      stored.map(({ id }) => id),
      [...unknown, 1000],
    );
  });

  test('a commit that somebody else cancels is not answered as confirmed', async (context) => {
    const database = await openDatabase(server.url(), { timeoutMs: 5_000 });
    context.after(() => database.close());
    context.after(() => setStandby(''));
    await setStandby('nobody');
    const result = add(database, 2000);
    await eventually(
      async () => (await backends()).some(({ wait_event: on }) => on === 'SyncRep'),
      'it does not wait',
    );
    await admin.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
    const error = await result;
    assert.ok(error instanceof Unavailable && error.isOutcomeUnknown);
  });

  test('while a table is locked are cancelled, and leave no process behind', async (context) => {
    const database = await opened(context);
    await lockHeld(context);
    const counted = countBackends();
    const results = await burst(database, { first: 0, table: 'held' });
    assert.ok((await counted.stop()) <= PROMISED);
    for (const result of results) {
      assert.ok(result instanceof Unavailable && !result.isOutcomeUnknown);
    }
    await eventually(
      async () => !(await backends()).some(({ state }) => state === 'active'),
      'a statement still runs',
    );
  });

  test('to frozen processes keep their places until these end, and others are made afterwards', async (context) => {
    const database = await opened(context);
    const unlock = await lockHeld(context);
    await Promise.all(Array.from({ length: PROMISED }, () => database.read.get('SELECT pg_sleep(0.2)')));
    const waiting = Promise.all(Array.from({ length: 15 }, (_, id) => add(database, id, 'held')));
    await eventually(
      async () => (await backends()).filter(({ state }) => state === 'active').length === PROMISED,
      'not all wait',
    );
    const frozen = (await backends()).map(({ pid }) => pid);
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    await unlock();
    const counted = countBackends();
    try {
      await waiting;
      for (const result of await burst(database, { first: 3000 })) assert.ok(result instanceof Unavailable);
      await pause(2_500);
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    // One more asks the server whether they still exist.
    assert.ok((await counted.stop()) <= PROMISED + 1);
    await eventually(async () => (await add(database, Date.now())) === 'stored', 'it does not heal');
    assert.ok((await backends()).length <= PROMISED);
  });

  test('to a frozen server end in time, and heal with it', async (context) => {
    const database = await opened(context);
    await add(database, 4000);
    const [{ pid } = { pid: 0 }] = await backends();
    const postmaster = Number(/^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
    const stopped = [postmaster, ...(await backends()).map((backend) => backend.pid)];
    for (const one of stopped) process.kill(one, 'SIGSTOP');
    try {
      const startedAt = performance.now();
      const results = await burst(database, { first: 5000 });
      assert.ok(performance.now() - startedAt < 2 * (TIMEOUT_MS + 1_500) * slowness());
      for (const result of results) assert.match(String(result), /cannot be reached|no free connection/);
    } finally {
      for (const one of stopped) process.kill(one, 'SIGCONT');
    }
    const counted = countBackends();
    await eventually(async () => (await add(database, Date.now())) === 'stored', 'it does not heal');
    await pause(500);
    assert.ok((await counted.stop()) <= PROMISED);
  });

  const paths = {
    'with TLS': () => `${server.url()}?sslmode=require`,
    'by a Unix socket': () =>
      server.url().replace(/@[^/]*/, `@${encodeURIComponent(tmpdir())}:${server.port}`),
  };
  for (const [name, url] of Object.entries(paths)) {
    test(`are cancelled on a connection ${name}`, async (context) => {
      const database = await opened(context, url());
      await assert.rejects(database.read.get('SELECT pg_sleep(4)'), /The database is busy/);
      await eventually(
        async () => (await backends()).every(({ state }) => state === 'idle'),
        'it still runs',
      );
    });
  }

  test('with their database, when it is closed', async () => {
    const database = await openDatabase(server.url(), { timeoutMs: TIMEOUT_MS });
    const reading = assert.rejects(database.read.get('SELECT pg_sleep(4)'), Unavailable);
    const snapshot = await database.snapshot();
    const exporting = assert.rejects(snapshot.get('SELECT pg_sleep(4)'), Unavailable);
    await eventually(
      async () => (await backends()).filter(({ state }) => state === 'active').length === 2,
      'they do not run',
    );
    const startedAt = performance.now();
    await database.close();
    assert.ok(performance.now() - startedAt < 3_000 * slowness());
    await Promise.all([reading, exporting]);
    assert.deepEqual(await backends(), []);
  });
});

describe('A service whose synchronous standby is away', () => {
  test('says that it waits for it, and an Idempotency-Key finds the outcome', async (context) => {
    const database = await openDatabase(server.url(), { timeoutMs: 2_500 });
    context.after(() => database.close());
    await database.migrate();
    const service = await startHttpService({ database, app: { ready: readinessOf(database) } });
    context.after(service.stop);
    const organization = await service.organization();
    const webhook = {
      url: 'https://hooks.northwind.test/rollcall',
      enabled: true,
      events: [eventName],
    };
    await organization.post('/webhook', { webhook });
    context.after(() => setStandby(''));
    await setStandby('nobody');
    const rotate = () =>
      organization.post(
        '/webhook',
        { webhook, regenerate_secret: '1' },
        { headers: { 'Idempotency-Key': 'k' } },
      );
    const invite = () =>
      organization.post('/invite_user', {
        first_name: 'Ada',
        last_name: 'Lovelace',
        email: 'ada@example.test',
      });
    const unknown = await rotate();
    assert.deepEqual([unknown.status, unknown.json], [503, { error: OUTCOME_UNKNOWN }]);
    assert.ok(Number(unknown.headers['retry-after']) > 0);
    const refused = await invite();
    assert.deepEqual([refused.status, refused.json], [503, { error: 'Service Unavailable' }]);
    const { status, json } = await service.client.send('GET', '/readyz');
    assert.deepEqual(
      [status, json.error, json.checks.database],
      [503, 'Service Unavailable: database (waiting for a synchronous standby)', 'failed'],
    );
    const reasons = service.lines.flatMap(({ status: logged, reason }) => (logged === 503 ? [reason] : []));
    assert.match(String(reasons[0]), /^The database is waiting for a synchronous standby\. The outcome/);

    await setStandby('');
    const isReady = async () => (await service.client.send('GET', '/readyz')).status === 200;
    await eventually(isReady, 'it does not become ready');
    const found = await rotate();
    assert.match(found.json.webhook.secret, /^whsec_/);
    assert.equal((await rotate()).text, found.text);
    assert.equal((await invite()).status, 200);
    const { items } = await service.core.listActivity({ organization });
    assert.deepEqual(
      items.map(({ action }) => action).filter((action) => /rotated|invited/.test(action)),
      ['user-invited', 'signing-secret-rotated'],
    );
  });
});

const OUTCOME_UNKNOWN =
  'Service Unavailable: the outcome is unknown. Check it, or repeat the request with the same Idempotency-Key';

describe('A connection that turns read-only', () => {
  test('is replaced, so that writes go on as soon as they may', async (context) => {
    const database = await opened(context);
    await add(database, 6000);
    context.after(() => admin.query('ALTER DATABASE postgres RESET default_transaction_read_only'));
    await admin.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rollcall'`,
    );
    await eventually(async () => (await backends()).length === 0, 'they do not end');
    // The pool may hear of the end of a connection only when it uses it.
    let next = 7000;
    const isTold = async () => /cannot be written/.test(String(await add(database, next++)));
    await eventually(isTold, 'it is not told');
    for (let id = 6001; id < 6005; id += 1)
      assert.match(String(await add(database, id)), /The database cannot be written/);
    assert.equal(await database.writeProblem(), 'read-only');
    await Promise.all(Array.from({ length: 10 }, () => database.read.get('SELECT pg_sleep(0.05)')));
    await admin.query('ALTER DATABASE postgres RESET default_transaction_read_only');
    const resetAt = performance.now();
    await eventually(async () => (await database.writeProblem()) === null, 'it stays read-only');
    // Another connection of the pool may have been made just before the reset.
    let id = 6010;
    const tenWrites = async () => Promise.all(Array.from({ length: 10 }, () => add(database, id++)));
    await eventually(
      async () => (await tenWrites()).every((result) => result === 'stored'),
      'some writes are still refused',
    );
    assert.ok(performance.now() - resetAt < 4_000 * slowness());
  });
});
