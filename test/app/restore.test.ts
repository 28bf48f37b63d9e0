import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { freePort, linesOf, type Running, run, start, temporaryDirectory } from '../support/app-cli.js';
import { startPostgresUrl } from '../support/postgres.js';
import { startReceiver } from '../support/receiver.js';

const SECRET_KEY = 'a secret key of more than 32 characters';
const accessKey = '1'.repeat(24);

let directory: ReturnType<typeof temporaryDirectory>;
let cwd: string;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let running: Running[];
beforeEach(async () => {
  directory = temporaryDirectory();
  cwd = directory.path;
  running = [];
  receiver = await startReceiver({ answer: (_request, response) => response.end('ok') });
  writeFileSync(join(cwd, 'ca.pem'), receiver.authority);
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop('SIGKILL')));
  await receiver.stop();
  directory.remove();
});

const over = (DATABASE_URL: string): Readonly<Record<string, string>> => ({
  DATABASE_URL,
  SECRET_KEY,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  WEBHOOK_CA_FILE: join(cwd, 'ca.pem'),
});

async function serve(url: string): Promise<{ readonly server: Running; readonly port: number }> {
  const port = await freePort();
  const server = start(['serve'], { cwd, env: { ...over(url), PORT: String(port) } });
  running.push(server);
  await server.see(/"msg":"Listening"/);
  return { server, port };
}

/** An organization whose webhook is the receiver. */
async function prepare(url: string): Promise<Running> {
  const input = JSON.stringify({ kind: 'organization', id: 1, name: 'Northwind', access_key: accessKey });
  assert.equal((await run(['import', '-'], { cwd, env: over(url), input })).code, 0);
  const { server, port } = await serve(url);
  const api = `http://127.0.0.1:${port}/api/v2`;
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${api}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const { token } = (await (await post('/authenticate', { access_key: accessKey })).json()) as {
    readonly token: string;
  };
  const webhook = { url: `${receiver.url}/hook`, enabled: true, events: ['user.registered'] };
  const saved = await post('/organizations/1/webhook', { webhook }, { Authorization: `Bearer ${token}` });
  assert.equal(saved.status, 200);
  return server;
}

const uuid = (number: number): string => `8f6f1c52-52d2-4f3b-9a8e-${String(number).padStart(12, '0')}`;

/** Three events that nobody takes up while the organization's four places are taken. */
async function queueThree(database: Database): Promise<void> {
  const now = new Date();
  await database.write(async (sql) => {
    for (const number of [1, 2, 3, 4, 5, 6, 7]) {
      const claim = number <= 4 ? ['sending', 'another', now] : ['pending', null, null];
      await sql.run(
        `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at, state, claim, claimed_at)
        VALUES (1, ?, 'user.registered', ?, ?, ?, ?, ?)`,
        [uuid(number), `{"event_id":"${uuid(number)}"}`, now, ...claim],
      );
    }
  });
}

async function letGo(database: Database): Promise<void> {
  await database.write((sql) => sql.run(`DELETE FROM deliveries WHERE state = 'sending'`));
}

async function received(count: number): Promise<void> {
  for (const until = performance.now() + 15_000; receiver.requests.length < count; await pause(20))
    assert.ok(performance.now() < until, `${receiver.requests.length} of ${count} came`);
}

/** A server on the restored database sends nothing by itself, says so, and sends what is asked for. */
async function expectHeld(url: string): Promise<void> {
  const { server } = await serve(url);
  await pause(2_500);
  assert.equal(receiver.requests.length, 3, 'nothing is sent again by itself');
  const told = linesOf(server.stdout())
    .map((line) => JSON.parse(line))
    .find(({ held }) => held !== undefined);
  assert.equal(told?.held, 7);
  assert.match(told?.msg, /^This database was restored or copied: /);

  const listed = await run(['deliveries', 'list', '--state', 'failed', '--json'], { cwd, env: over(url) });
  const { deliveries } = JSON.parse(listed.stdout) as {
    readonly deliveries: readonly {
      readonly id: number;
      readonly event_id: string;
      readonly result: string;
    }[];
  };
  assert.equal(deliveries.length, 7);
  assert.match(deliveries[0]?.result ?? '', /^held in a restored database/);
  const last = deliveries.find(({ event_id }) => event_id === uuid(7));
  const asked = await run(['deliveries', 'redeliver', String(last?.id)], { cwd, env: over(url) });
  assert.equal(asked.code, 0, asked.stderr);
  await received(4);
  assert.equal(receiver.requests[3]?.body.toString(), `{"event_id":"${uuid(7)}"}`);
  assert.equal((await server.stop()).code, 0);
}

describe('A restored database', () => {
  test('SQLite, backed up while it is served: what the original has sent is not sent again', async () => {
    const url = `sqlite:${join(cwd, 'rollcall.db')}`;
    const server = await prepare(url);
    const database = await openDatabase(url);
    await queueThree(database);
    const backup = new SqliteDatabase(join(cwd, 'rollcall.db'), { timeout: 5_000 });
    backup.exec(`VACUUM INTO '${join(cwd, 'copy.db')}'`);
    backup.close();
    await letGo(database);
    await received(3);
    await database.close();
    assert.equal((await server.stop()).code, 0);

    mkdirSync(join(cwd, 'elsewhere'));
    copyFileSync(join(cwd, 'copy.db'), join(cwd, 'elsewhere', 'rollcall.db'));
    await expectHeld(`sqlite:${join(cwd, 'elsewhere', 'rollcall.db')}`);
  });

  test('PostgreSQL, copied to another database: the same', async () => {
    const original = await startPostgresUrl({ migrated: false });
    const server = await prepare(original.url);
    const database = await openDatabase(original.url);
    await queueThree(database);
    assert.equal((await server.stop()).code, 0);
    await database.close();
    const copy = await startPostgresUrl({
      migrated: false,
      template: new URL(original.url).pathname.slice(1),
    });
    try {
      const again = await openDatabase(original.url);
      await letGo(again);
      await again.close();
      const { server: second } = await serve(original.url);
      await received(3);
      assert.equal((await second.stop()).code, 0);
      await expectHeld(copy.url);
    } finally {
      await Promise.all(running.map((one) => one.stop('SIGKILL')));
      await copy.stop();
      await original.stop();
    }
  });

  test('what waited when the service was killed is sent by the next start: that is no copy', async () => {
    const url = `sqlite:${join(cwd, 'rollcall.db')}`;
    const server = await prepare(url);
    const database = await openDatabase(url);
    await queueThree(database);
    await server.stop('SIGKILL');
    await letGo(database);
    await database.close();
    await serve(url);
    await received(3);
  });

  test('deliveries hold ends what waits as failed, for a restore that nobody can tell from its original', async () => {
    const url = `sqlite:${join(cwd, 'rollcall.db')}`;
    const server = await prepare(url);
    await server.stop();
    const database = await openDatabase(url);
    await queueThree(database);
    await database.close();
    const { code, stdout } = await run(['deliveries', 'hold', '--json'], { cwd, env: over(url) });
    assert.deepEqual([code, JSON.parse(stdout)], [0, { held: 7 }]);
    await serve(url);
    await pause(1_500);
    assert.equal(receiver.requests.length, 0);
  });
});
