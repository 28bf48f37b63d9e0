import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createOperatorClient, type OperatorClient } from '@rollcall/contracts/operator';
import { freePort, rollcall, temporaryDirectory } from '../support/app-cli.js';
import { type ForkedInstance, forkInstance } from '../support/forked-instance.js';
import { endPostgres, startPostgresDatabase } from '../support/postgres.js';

/** Times of answers in milliseconds, and the number of requests that were not answered with 200. */
interface Paced {
  readonly times: readonly number[];
  readonly failures: number;
}

/**
 * Sends requests at a fixed rate, also while earlier ones are unanswered, until `work` has ended. A time counts from the
 * moment at which the request was due, so that a stop of the service counts for every request that it delays.
 */
async function pacedRequests(
  {
    paths,
    headers,
    perSecond,
  }: {
    readonly paths: readonly string[];
    readonly headers: Readonly<Record<string, string>>;
    readonly perSecond: number;
  },
  work: Promise<unknown>,
): Promise<Paced> {
  const times: number[] = [];
  let failures = 0;
  let isOver = false;
  void work.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  async function send(path: string, dueAt: number): Promise<void> {
    const isGood = await fetch(path, { headers }).then(
      async (response) => (await response.arrayBuffer()) !== null && response.status === 200,
      () => false,
    );
    times.push(performance.now() - dueAt);
    if (!isGood) failures += 1;
  }
  const sent: Promise<void>[] = [];
  const start = performance.now();
  for (let count = 0; !isOver; count += 1) {
    const dueAt = start + (count * 1000) / perSecond;
    const wait = dueAt - performance.now();
    if (wait > 0) await pause(wait);
    sent.push(send(paths[count % paths.length] ?? '', dueAt));
  }
  await Promise.all(sent);
  await work;
  return { times, failures };
}

/** The time below which this share of the times lies. */
function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Imports 50 changed meetings a second through the operator's API, and then a year of records, while the API is asked 50
 * times a second. On both engines: the changes are visible within a second, and others wait no longer than before.
 * As a program: `node --single-threaded-gc test/dist/soak/operator-records.js [--meetings 200000] [--year 1200000]
 * [--engine sqlite]`. With several threads, this process's own garbage collection waits for a core up to 20 ms while all
 * are busy, which would count as the service's time.
 */
const { values: given } = parseArgs({
  options: {
    meetings: { type: 'string', default: '200000' },
    year: { type: 'string', default: '1200000' },
    engine: { type: 'string' },
  },
});
const [meetings, year] = [Number(given.meetings), Number(given.year)];

if (!process.execArgv.includes('--single-threaded-gc'))
  throw new Error('Start it with node --single-threaded-gc.');

const MAX_VISIBLE_MS = 1000;
const MAX_MORE_P99_MS = 10;
const PHASE_MS = 15_000;
const PER_SECOND = 50;
const CHANGES = 50;
/** Other programs on this machine may disturb. */
const TRIES = 3;
const token = 'the-token-of-the-operator-in-soak-tests';
const SECRET_KEY = 'the secret key of the soak test, 32+ characters';

interface Service {
  readonly url: string;
  readonly operator: OperatorClient;
  /** Sends a file of records from a process of its own. */
  readonly sender: ForkedInstance<string, number>;
  readonly headers: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
}

const problems: string[] = [];

function command(args: readonly string[], options: object): void {
  const { status, stderr } = spawnSync(process.execPath, [rollcall, ...args], { maxBuffer: 1e9, ...options });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
}

/** Writes a dataset to a file. */
function writeSample(file: string, args: readonly string[]): void {
  const out = openSync(file, 'w');
  command(['sample', ...args], { stdio: ['ignore', out, 'pipe'] });
  closeSync(out);
}

async function measure(engine: string, env: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const all = {
    PATH: process.env.PATH ?? '',
    ...{ SECRET_KEY, PORT: String(port), OPERATOR_PORT: String(operatorPort), OPERATOR_TOKEN: token },
    LOG_LEVEL: 'warn',
    ...env,
  };
  command(['import', join(folder, 'base.ndjson')], { env: all });
  const child = spawn(process.execPath, ['--v8-pool-size=0', rollcall, 'serve'], {
    env: all,
    stdio: 'inherit',
  });
  try {
    const service = await connect(port, operatorPort);
    try {
      await phases(engine, service, folder);
    } finally {
      await service.sender.kill();
    }
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

async function connect(port: number, operatorPort: number): Promise<Service> {
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    if (tries > 300) throw new Error('the server does not start');
    await pause(100);
  }
  const baseUrl = `http://127.0.0.1:${operatorPort}/operator/v1`;
  const operator = createOperatorClient({ baseUrl, token });
  const { access_key } = await operator.generateAccessKey(1);
  const answer = await fetch(`${url}/api/v2/authenticate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ access_key }),
  });
  const bearer = (await answer.json()) as { readonly token: string };
  const base = `${url}/api/v2/organizations/1`;
  return {
    ...{ url, operator, headers: { Authorization: `Bearer ${bearer.token}` } },
    sender: await forkInstance(new URL('../support/record-sender.js', import.meta.url), [baseUrl, token]),
    paths: [
      `${base}/export_meetings?column=name&reporting_days=all&page=1&per_page=25`,
      `${base}/users?limit=25`,
      `${base}/webhook`,
      `${base}/events`,
    ],
  };
}

async function phases(engine: string, service: Service, folder: string): Promise<void> {
  const requests = { ...service, perSecond: PER_SECOND };
  await pacedRequests(requests, pause(3000));
  const changing: number[] = [];
  let alone = await pacedRequests(requests, pause(PHASE_MS));
  let beside = await pacedRequests(requests, change(service, changing));
  for (let tries = 1; tries < TRIES && isSlower(beside, alone); tries += 1) {
    alone = await pacedRequests(requests, pause(PHASE_MS));
    beside = await pacedRequests(requests, change(service, changing));
  }
  report(engine, 'alone', alone);
  report(engine, `beside ${CHANGES} changes a second`, beside);
  reportVisible(engine, 'changes', changing);
  if (isSlower(beside, alone)) problems.push(`${engine}: others are slower beside changes`);

  const start = performance.now();
  const loading = service.sender.run(join(folder, 'year.ndjson'));
  const besideYear = await pacedRequests(requests, loading);
  const records = await loading;
  report(
    engine,
    `beside ${records} records in ${Math.round((performance.now() - start) / 1000)} s`,
    besideYear,
  );
  if (isSlower(besideYear, alone)) problems.push(`${engine}: others are slower beside a year of records`);
}

/** Changes meetings each second, and notes when the change can be read. */
async function change({ operator, url, headers }: Service, visible: number[]): Promise<void> {
  const until = performance.now() + PHASE_MS;
  while (performance.now() < until) {
    const start = performance.now();
    const name = `Changed ${start}`;
    const startTime = new Date(Date.now() + 3_600_000).toISOString();
    await operator.importRecords(
      Array.from({ length: CHANGES }, (_, index) => ({
        ...{ kind: 'meeting', id: 1 + index, organization_id: 1, name, meeting_type: 'Group' },
        ...{ start_time: startTime, duration: 60, status: 'scheduled', location: 'zoom' },
      })),
    );
    const answer = await fetch(
      `${url}/api/v2/organizations/1/export_meetings?column=name&reporting_days=all_upcoming&page=1&per_page=100`,
      { headers },
    );
    if (!(await answer.text()).includes(name)) problems.push('a change was answered and is not visible');
    visible.push(performance.now() - start);
    await pause(Math.max(0, 1000 - (performance.now() - start)));
  }
}

function reportVisible(engine: string, what: string, times: readonly number[]): void {
  const [half, most] = [percentile(times, 0.5), Math.max(...times)].map(Math.round);
  print(`${engine}: ${times.length} ${what}: visible after ${half} ms, at most ${most} ms`);
  if ((most ?? 0) > MAX_VISIBLE_MS) problems.push(`${engine}: ${what} are visible after up to ${most} ms`);
}

function isSlower({ times }: Paced, than: Paced): boolean {
  return percentile(times, 0.99) > percentile(than.times, 0.99) + MAX_MORE_P99_MS;
}

function report(engine: string, what: string, { times, failures }: Paced): void {
  const [half, most] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(1));
  const longest = Math.max(...times).toFixed(0);
  print(
    `${engine}: ${what}: ${times.length} requests, p50 ${half} ms, p99 ${most} ms, longest ${longest} ms`,
  );
  if (failures > 0) problems.push(`${engine}: ${failures} requests failed ${what}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const folder = temporaryDirectory();
try {
  const people = ['--members', '2000'];
  writeSample(join(folder.path, 'base.ndjson'), [
    ...['--meetings', String(meetings), ...people, '--registrations', String(meetings)],
  ]);
  const registrations = Math.max(0, year - meetings);
  writeSample(join(folder.path, 'year.ndjson'), [
    ...['--meetings', String(meetings), ...people, '--registrations', String(registrations), '--seed', '1'],
  ]);
  if (given.engine !== 'postgres')
    await measure('sqlite', { DATABASE_URL: `sqlite:${join(folder.path, 'test.db')}` }, folder.path);
  if (given.engine !== 'sqlite') {
    const postgres = await startPostgresDatabase();
    try {
      await measure('postgres', { DATABASE_URL: postgres.url }, folder.path);
    } finally {
      await postgres.stop();
    }
  }
} finally {
  await endPostgres();
  folder.remove();
}
for (const problem of problems) print(`Not kept: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
