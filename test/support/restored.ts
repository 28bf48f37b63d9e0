import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { postJson, tokenOf } from './api.js';
import { freePort, linesOf, type Running, run, start, temporaryDirectory } from './app-cli.js';
import { startReceiver } from './receiver.js';

export type RestoreTrial = Awaited<ReturnType<typeof startRestoreTrial>>;

const SECRET_KEY = 'a secret key of more than 32 characters';
const accessKey = '1'.repeat(24);

const uuid = (number: number): string => `8f6f1c52-52d2-4f3b-9a8e-${String(number).padStart(12, '0')}`;

/**
 * Adds three waiting events, and four that take all slots of the organization, so that the three cannot be claimed.
 * Their numbers follow `last`.
 */
export async function queueThree(database: Database, last = 0): Promise<void> {
  const now = new Date();
  await database.write(async (sql) => {
    for (const number of [1, 2, 3, 4, 5, 6, 7]) {
      const claim = number <= 4 ? ['sending', 'another', now] : ['pending', null, null];
      const id = uuid(last + number);
      await sql.run(
        `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at, state, claim, claimed_at)
        VALUES (1, ?, '${eventName}', ?, ?, ?, ?, ?)`,
        [id, `{"event_id":"${id}"}`, now, ...claim],
      );
    }
  });
}

/** Frees the slots, so that the three waiting events are sent. */
export async function freeSlots(database: Database): Promise<void> {
  await database.write((sql) => sql.run(`DELETE FROM deliveries WHERE state = 'sending'`));
}

/** Tests an original whose events are sent, and restored copies that must not send them again. */
export async function startRestoreTrial() {
  const directory = temporaryDirectory();
  const cwd = directory.path;
  const running: Running[] = [];
  const receiver = await startReceiver();
  writeFileSync(join(cwd, 'ca.pem'), receiver.authority);
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

  /** Imports an organization with a webhook that points to the receiver, and serves it. */
  async function prepare(url: string): Promise<Running> {
    const input = JSON.stringify({ kind: 'organization', id: 1, name: 'Northwind', access_key: accessKey });
    assert.equal((await run(['import', '-'], { cwd, env: over(url), input })).code, 0);
    const { server, port } = await serve(url);
    const at = `http://127.0.0.1:${port}`;
    const webhook = { url: `${receiver.url}/hook`, enabled: true, events: [eventName] };
    const token = await tokenOf(at, accessKey);
    const saved = await postJson(`${at}/api/v2/organizations/1/webhook`, { webhook }, token);
    assert.equal(saved.status, 200);
    return server;
  }

  /** Waits until the receiver has got this many requests. */
  async function received(count: number): Promise<void> {
    for (const end = performance.now() + 60_000; receiver.requests.length < count; await pause(20))
      assert.ok(performance.now() < end, `${receiver.requests.length} of ${count} requests were received`);
  }

  /** Checks that a server on the restored database sends nothing by itself, reports that, and sends what is requested. */
  async function expectHeld(url: string): Promise<void> {
    const before = receiver.requests.length;
    const { server } = await serve(url);
    await pause(2_500);
    assert.equal(receiver.requests.length, before, 'nothing is sent again by itself');
    const notice = linesOf(server.stdout())
      .map((line) => JSON.parse(line))
      .find(({ held }) => held !== undefined);
    assert.equal(notice?.held, 7);
    assert.match(notice?.msg, /^This database was restored or copied: /);

    const env = over(url);
    const listed = await run(['deliveries', 'list', '--state', 'held', '--json'], { cwd, env });
    const { deliveries } = JSON.parse(listed.stdout) as { readonly deliveries: readonly Listed[] };
    assert.equal(deliveries.length, 7);
    assert.match(deliveries[0]?.result ?? '', /^held after a restore: it may have been sent before$/);
    assert.deepEqual(
      deliveries.map(({ attempts }) => attempts.length),
      [0, 0, 0, 0, 0, 0, 0],
    );
    const last = deliveries.find(({ event_id }) => event_id === uuid(7));
    const redelivered = await run(['deliveries', 'redeliver', String(last?.id)], { cwd, env });
    assert.equal(redelivered.code, 0, redelivered.stderr);
    await received(before + 1);
    assert.equal(receiver.requests[before]?.body.toString(), `{"event_id":"${uuid(7)}"}`);
    const release = async (...args: readonly string[]) => {
      const { stdout, stderr } = await run(['deliveries', 'release', '--json', ...args], { cwd, env });
      return stdout === '' ? stderr : JSON.parse(stdout);
    };
    assert.deepEqual(await release('--send', '--dry-run'), { matching: 6 });
    assert.deepEqual(await release('--drop', '--since', '2999-01-01'), { dropped: 0 });
    assert.deepEqual(await release('--send'), { redelivered: 6 });
    await received(before + 7);
    assert.deepEqual(await release('--drop'), { dropped: 0 });
    assert.equal((await server.stop()).code, 0);
  }

  return {
    ...{ cwd, receiver, prepare, serve, received, expectHeld },
    /** Runs a command on the database. */
    run: (args: readonly string[], url: string) => run(args, { cwd, env: over(url) }),
    async stop(): Promise<void> {
      await Promise.all(running.map((one) => one.discard()));
      await receiver.stop();
      directory.remove();
    },
  };
}

interface Listed {
  readonly id: number;
  readonly event_id: string;
  readonly result: string;
  readonly attempts: readonly unknown[];
}
