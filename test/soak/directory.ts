import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import { openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { largeDatabase, largeSize } from '../bench/large-database.js';
import { quantile } from '../bench/measure.js';
import { startOthers } from '../bench/others.js';
import { type Engine, type Subject, startProduct } from '../bench/servers.js';
import { tokenOf } from '../support/api.js';
import { temporaryDirectory } from '../support/app-cli.js';
import { largeSecretKey } from '../support/large-organization.js';
import { smallOperations } from '../support/noisy-organization.js';
import { startPostgresServer } from '../support/postgres-server.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { until } from '../support/wait.js';
import { webhookAt } from '../support/webhook-at.js';

/**
 * A directory of 20,000 people over both engines, half of whom it has written. Fails if a page of 200 of them, or what
 * another organization waits for while a first sync adds people with 25 requests a second, takes 50 ms or more. The events
 * of the new people are delivered meanwhile. As a program: `node test/dist/soak/directory.js [seconds of the sync]`.
 */
const [seconds = 60] = process.argv.slice(2).map(Number);

const MAX_MS = 50;
const REQUESTS_A_SECOND = 25;
const PAGES = 20;
const PAGE = 200;

type Send = (method: string, path: string, body?: object) => Promise<{ status: number; text: string }>;

/** Fills a database, and returns the token of the directory of organization 1. */
async function prepare(engine: Engine, url: string) {
  const databases = { another: async () => url };
  const { keys } = await largeDatabase({ engine, databases }, 'directory');
  const database = await openDatabase(url, { serves: false });
  try {
    const time = new Date().toISOString();
    await database.write(async (sql) => {
      await sql.run(
        `INSERT INTO directory_people (organization_id, uuid, user_name, user_name_key, external_id,
          given_name, family_name, email, email_key, is_active, changed_at)
        SELECT organization_id, memberships.uuid, email, email, idp_id, first_name, last_name, email, email, true, ?
        FROM memberships JOIN users ON users.id = user_id WHERE organization_id = 1 AND user_id % 2 = 0`,
        [time],
      );
      // Its secret was never sealed.
      await sql.run('DELETE FROM webhooks WHERE organization_id = 1');
    });
    // PostgreSQL does so by itself within a minute, beside the measurement.
    if (engine === 'PostgreSQL') await database.bulk(async (bulk) => void (await bulk.run('VACUUM ANALYZE')));
    const secrets = keyedSecrets(createKeyring({ secretKey: largeSecretKey, previousSecretKeys: [] }));
    const { token, hash } = secrets.newToken('directory');
    await sqlPorts(database).directoryTokens.add({
      ...{ hash, organizationId: 1, createdAt: new Date(time), keepOldUntil: null },
    });
    return { keys, token: token.reveal() };
  } finally {
    await database.close();
  }
}

/** Reads pages from the start, the middle and the end. Returns the time of each. */
async function readPages(send: Send): Promise<readonly number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < 3 * PAGES; turn += 1) {
    const startIndex = [1, largeSize.people / 2 + 1, largeSize.people - PAGE + 1][turn % 3];
    const startedAt = performance.now();
    const { status, text } = await send('GET', `/Users?startIndex=${startIndex}&count=${PAGE}`);
    times.push(performance.now() - startedAt);
    const { totalResults, Resources } = JSON.parse(text);
    if (status !== 200 || totalResults !== largeSize.people || Resources.length !== PAGE)
      throw new Error(`a page of ${Resources?.length} of ${totalResults} with ${status}`);
    // Within the limit of the organization.
    await pause(1000 / REQUESTS_A_SECOND);
  }
  // The first ones fill the caches.
  return times.slice(3);
}

/** Looks for each new person and adds them, on a fixed schedule. Returns the times, and how many were added. */
async function sync(send: Send) {
  const requests: Promise<number>[] = [];
  const statuses: Record<string, number> = {};
  const start = performance.now();
  for (let number = 0; number < seconds * REQUESTS_A_SECOND; number += 1) {
    await pause(Math.max(0, start + (number * 1000) / REQUESTS_A_SECOND - performance.now()));
    const sentAt = performance.now();
    const userName = `new-${number >> 1}@large.test`;
    const filter = encodeURIComponent(`userName eq "${userName}"`);
    const answer =
      number % 2 === 0
        ? send('GET', `/Users?filter=${filter}`)
        : send('POST', '/Users', { userName, externalId: `new-${number}`, name: { givenName: 'N' } });
    requests.push(
      answer.then(({ status }) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        return performance.now() - sentAt;
      }),
    );
  }
  return { times: await Promise.all(requests), statuses, added: statuses[201] ?? 0 };
}

async function addWebhook(url: string, token: string, receiver: Receiver): Promise<void> {
  const { status } = await fetch(`${url}/api/v2/organizations/1/webhook`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ webhook: webhookAt(receiver.url) }),
  });
  if (status >= 300) throw new Error(`the webhook was answered with ${status}`);
}

async function measure(product: Subject, receiver: Receiver, keys: Awaited<ReturnType<typeof prepare>>) {
  const url = `http://127.0.0.1:${product.port}`;
  const { accessKeys } = keys.keys;
  await addWebhook(url, await tokenOf(url, accessKeys.large), receiver);
  const send: Send = async (method, path, body) => {
    const answer = await fetch(`${url}/scim/v2/1${path}`, {
      method,
      headers: { Authorization: `Bearer ${keys.token}`, 'Content-Type': 'application/scim+json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const pages = await readPages(send);
  const token = await tokenOf(url, accessKeys.small);
  const small = smallOperations(token).map(({ path }) => ({ method: 'GET', path, token }) as const);
  const alone = await startOthers(product.port, small);
  await pause(5_000);
  const idle = await alone.stop();
  const others = await startOthers(product.port, small);
  const { times, statuses, added } = await sync(send);
  const during = await others.stop();
  const isDelivered = await until(async () => receiver.requests.length >= added, 30_000);
  const figures = {
    'a page of 200': figuresOf(pages),
    'others, alone': figuresOf(idle),
    'others, during the sync': figuresOf(during),
    'requests of the sync': { ...figuresOf(times), statuses },
    events: { added, delivered: receiver.requests.length },
  };
  const half = (seconds * REQUESTS_A_SECOND) / 2;
  const problems = [
    ...(quantile(pages, 0.95) < MAX_MS ? [] : [`a page of 200 takes ${MAX_MS} ms or more`]),
    ...(quantile(during, 0.99) < MAX_MS ? [] : [`others wait for ${MAX_MS} ms or more`]),
    ...(statuses[200] === Math.ceil(half) && added === Math.floor(half) ? [] : ['a request was refused']),
    ...(isDelivered ? [] : ['events were not delivered']),
  ];
  return { figures, problems };
}

function figuresOf(times: readonly number[]) {
  const at = (part: number): number => Number(quantile(times, part).toFixed(1));
  return { count: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

async function tryEngine(engine: Engine): Promise<readonly string[]> {
  const postgres = engine === 'PostgreSQL' ? await startPostgresServer({ durable: true }) : null;
  const directory = temporaryDirectory();
  const receiver = await startReceiver();
  try {
    const url = postgres?.url() ?? `sqlite:${join(directory.path, 'directory.db')}`;
    const prepared = await prepare(engine, url);
    const authority = join(directory.path, 'authority.pem');
    writeFileSync(authority, receiver.authority);
    const served = { engine, url, cwd: directory.path, secretKey: largeSecretKey, core: null };
    const product = await startProduct(served, {
      ...{ NODE_EXTRA_CA_CERTS: authority, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    });
    try {
      const { figures, problems } = await measure(product, receiver, prepared);
      process.stdout.write(`${engine}\n`);
      for (const [name, found] of Object.entries(figures))
        process.stdout.write(`  ${name}: ${JSON.stringify(found)}\n`);
      return problems.map((problem) => `${engine}: ${problem}`);
    } finally {
      await product.stop();
    }
  } finally {
    await receiver.stop();
    directory.remove();
    await postgres?.remove();
  }
}

const problems = [...(await tryEngine('SQLite')), ...(await tryEngine('PostgreSQL'))];
for (const problem of problems) process.stdout.write(`FAILED: ${problem}\n`);
process.exit(problems.length === 0 ? 0 : 1);
