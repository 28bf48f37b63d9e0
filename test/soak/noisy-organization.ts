import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '#adapters/sql/index.js';
import type { LoopDelay } from '../bench/probe.js';
import { freePort, rollcall, temporaryDirectory } from '../support/app-cli.js';
import {
  fillLargeOrganization,
  type LargeOrganization,
  largeSecretKey,
} from '../support/large-organization.js';
import {
  ask,
  flood,
  MAX_DELAY_MS,
  type Measured,
  measureAlone,
  type NoisyServer,
  type Operation,
  operationsOf,
  smallOperations,
  tokenOf,
} from '../support/noisy-organization.js';
import { pageClient } from '../support/page/client.js';
import { publicUrl } from '../support/test-service.js';

/**
 * Measures how much one organization can slow down the others of an SQLite file. First it requests each operation of
 * the API, the pages and the feeds alone, and measures the delay of the server's event loop. Then it requests all the
 * heavy operations at once and without a pause, while another organization sends small requests.
 * As a program: `node test/dist/soak/noisy-organization.js [meetings]`.
 */
const [meetings = 300_000] = process.argv.slice(2).map(Number);
const size: LargeOrganization = { meetings, people: 20_000, upcoming: 1_000, logged: 100_000 };

/** Milliseconds. */
const MAX_P99_MS = 50;
const FLOOD_MS = 15_000;
const PAUSE_MS = 10;

interface Server extends NoisyServer {
  stop(): Promise<void>;
}

async function startServer(file: string): Promise<Server> {
  const port = await freePort();
  const probe = new URL('../bench/probe.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', probe, rollcall, 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      DATABASE_URL: `sqlite:${file}`,
      SECRET_KEY: largeSecretKey,
      LOG_LEVEL: 'warn',
      // The limits would refuse the requests that are measured here.
      PAGE_LIMIT: '0',
      FEED_LIMIT: '0',
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const until = performance.now() + 30_000;
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > until || child.exitCode !== null) throw new Error('the server does not start');
    await pause(100);
  }
  return {
    url,
    async loopDelay() {
      const message = once(child, 'message');
      child.send('delay');
      return ((await message) as [LoopDelay])[0];
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

interface Write {
  readonly name: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The requests of an owner's forms that change many rows. */
function writesOf(): readonly Write[] {
  const people = Array.from({ length: 500 }, (_, index) => `pasted-${index}@large.test,First,Last`);
  return [
    {
      name: 'resending all failed deliveries',
      path: '/organizations/1/webhooks/redeliver?since=2000-01-01T00:00',
      fields: {},
    },
    {
      name: 'inviting 500 people at once',
      path: '/organizations/1/invitations/many',
      fields: { people: people.join('\n') },
    },
  ];
}

async function submit(server: Server, session: string, { name, path, fields }: Write): Promise<Measured> {
  const client = pageClient({ url: server.url, origin: publicUrl }, new Map([['session', session]]));
  await server.loopDelay();
  const startedAt = performance.now();
  const { status, text } = await client.fillIn(path, fields, path.split('?')[0]);
  const elapsedMs = performance.now() - startedAt;
  const bytes = text.length;
  return { name, status, bytes, elapsedMs, delay: (await server.loopDelay()).max };
}

/** How long another organization waits for its answers while the operations are requested without a pause. */
async function measureFlooded(
  server: Server,
  operations: readonly Operation[],
  others: readonly Operation[],
): Promise<{
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly statuses: Readonly<Record<string, number>>;
}> {
  const until = performance.now() + FLOOD_MS;
  const flooding = flood(server, operations, until);
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  for (let count = 0; performance.now() < until; count += 1) {
    const operation = others[count % others.length];
    if (operation === undefined) break;
    const answer = await ask(server, operation);
    times.push(answer.elapsedMs);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    await pause(PAUSE_MS);
  }
  await flooding;
  times.sort((one, other) => one - other);
  const quantile = (part: number): number =>
    times[Math.min(Math.floor(part * times.length), times.length - 1)] ?? 0;
  return { requests: times.length, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1), statuses };
}

/** Marks all deliveries as failed. The webhooks are off, so a redelivery skips them and sends nothing. */
async function setFailed(file: string): Promise<void> {
  const database = await openDatabase(`sqlite:${file}`, { serves: false });
  await database.write((sql) => sql.run("UPDATE deliveries SET state = 'failed'"));
  await database.write((sql) => sql.run('UPDATE webhooks SET enabled = 0'));
  await database.close();
}

/** The number of redeliveries in the audit trail. */
async function redelivered(file: string): Promise<number> {
  const database = await openDatabase(`sqlite:${file}`, { serves: false });
  const row = await database.read.get<{ subject: string }>(
    "SELECT subject FROM audit_entries WHERE action = 'deliveries-redelivered'",
  );
  await database.close();
  return Number(row?.subject);
}

const directory = temporaryDirectory();
try {
  const file = join(directory.path, 'large.db');
  const database = await openDatabase(`sqlite:${file}`, { serves: false });
  await database.migrate();
  const keys = await fillLargeOrganization(database, size);
  await database.close();
  await setFailed(file);
  const server = await startServer(file);
  try {
    const operations = operationsOf(keys, size, await tokenOf(server, keys.accessKeys.large));
    const found = await measureAlone(server, operations);
    const held = found.filter(({ delay }) => delay > MAX_DELAY_MS);
    const wrong = found.filter(({ status }) => status !== 200);
    for (const write of writesOf()) {
      const measured = await submit(server, keys.sessions.large, write);
      found.push(measured);
      if (measured.delay > MAX_DELAY_MS) held.push(measured);
      if (measured.status >= 400) wrong.push(measured);
    }
    const again = await redelivered(file);
    for (const { name, status, bytes, elapsedMs, delay } of found)
      process.stdout.write(
        `${delay.toFixed(1).padStart(7)} ms blocked ${elapsedMs.toFixed(0).padStart(6)} ms in all ${String(bytes).padStart(10)} bytes ${status} ${name}\n`,
      );

    const small = await tokenOf(server, keys.accessKeys.small);
    const others = smallOperations(small);
    const quiet = await measureFlooded(server, [], others);
    const heavy = operations.filter(({ name }) => !name.endsWith('whole'));
    const meanwhile = await measureFlooded(server, heavy, others);
    const isRight = {
      answered: wrong.length === 0 && again === size.logged,
      loop: held.length === 0,
      others: meanwhile.p99 <= MAX_P99_MS && Object.keys(meanwhile.statuses).join() === '200',
    };
    process.stdout.write(
      `${JSON.stringify({ ...size, held: held.map(({ name, delay }) => ({ name, delay })), wrong: wrong.map(({ name }) => name), quiet, meanwhile, isRight }, null, 2)}\n`,
    );
    if (Object.values(isRight).includes(false)) process.exitCode = 1;
  } finally {
    await server.stop();
  }
} finally {
  directory.remove();
}
