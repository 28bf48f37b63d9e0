import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import pg from 'pg';
import { openDatabase } from '#adapters/sql/index.js';
import { readinessOf } from '#app/readiness.js';
import { freePort } from '../support/free-port.js';
import { NOBODY } from '../support/postgres-server.js';

/**
 * A planned switchover of a Patroni cluster with a synchronous standby, behind HAProxy, and then a standby that is frozen:
 * `npm run test:soak -- failover`. Needs Debian's postgresql, patroni, etcd and haproxy. Prints for how long writes fail,
 * beside a client that connects anew for each write, which needs as long as the proxy does.
 */
const PROGRAMS = process.env.POSTGRES_PROGRAMS ?? '/usr/lib/postgresql/15/bin';
const MAX_BEHIND_PROXY_MS = 1_500;

const folder = mkdtempSync(join(tmpdir(), 'rollcall-failover-'));
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const children: ChildProcess[] = [];

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function start(name: string, program: string, args: readonly string[]): void {
  const log = openSync(join(folder, `${name}.log`), 'w');
  const env = { ...process.env, HOME: folder };
  children.push(spawn(program, args, { ...identity, env, cwd: folder, stdio: ['ignore', log, log] }));
}

const ports = await Promise.all(Array.from({ length: 7 }, freePort));
const [etcdPort, peerPort, restA, restB, postgresA, postgresB, proxyPort] = ports as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

function patroniConfig(name: string, rest: number, postgres: number): string {
  return file(
    `${name}.yml`,
    JSON.stringify({
      scope: 'rollcall',
      name,
      restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
      etcd3: { hosts: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: {
          ...{ ttl: 20, loop_wait: 2, retry_timeout: 5, synchronous_mode: true },
          postgresql: { use_pg_rewind: true, parameters: { max_connections: 60 } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
        pg_hba: [
          'host all all 127.0.0.1/32 scram-sha-256',
          'host replication all 127.0.0.1/32 scram-sha-256',
          'local all all trust',
        ],
      },
      postgresql: {
        ...{ listen: `127.0.0.1:${postgres}`, connect_address: `127.0.0.1:${postgres}` },
        ...{ data_dir: join(folder, name), bin_dir: PROGRAMS },
        authentication: {
          superuser: { username: 'rollcall', password: 'rollcall' },
          replication: { username: 'replicator', password: 'replicator' },
          rewind: { username: 'rewinder', password: 'rewinder' },
        },
        parameters: { unix_socket_directories: folder },
      },
    }),
  );
}

const CHECK_INTERVAL_MS = 1_000;
const haproxy = file(
  'haproxy.cfg',
  `defaults
  mode tcp
  timeout connect 2s
  timeout client 60s
  timeout server 60s
listen postgres
  bind 127.0.0.1:${proxyPort}
  option httpchk GET /primary
  default-server check inter ${CHECK_INTERVAL_MS}ms fall 3 rise 2 on-marked-down shutdown-sessions
  server a 127.0.0.1:${postgresA} port ${restA}
  server b 127.0.0.1:${postgresB} port ${restB}
`,
);

const url = `postgres://rollcall:rollcall@127.0.0.1:${proxyPort}/postgres?sslmode=disable`;

async function eventually<T>(what: string, check: () => Promise<T | null | false>, seconds = 90): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const found = await check().catch(() => null);
    if (found) return found;
    assert.ok(performance.now() < end, what);
    await pause(200);
  }
}

interface Member {
  readonly name: string;
  readonly role: string;
}

const members = async (): Promise<readonly Member[]> =>
  ((await (await fetch(`http://127.0.0.1:${restA}/cluster`)).json()) as { members: readonly Member[] })
    .members;

/** One write of a client that connects anew. */
async function writeAnew(): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 1_000,
    query_timeout: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('INSERT INTO direct DEFAULT VALUES');
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** Repeats `attempt` until `stop`, which returns from when to when it failed, and the errors. */
function watch(attempt: () => Promise<unknown>, pauseMs = 50) {
  const failures = new Map<string, number>();
  let first = Number.NaN;
  let healed = Number.NaN;
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      const at = performance.now();
      await attempt().then(
        () => {
          if (!Number.isNaN(first) && Number.isNaN(healed)) healed = performance.now();
        },
        (error: unknown) => {
          if (Number.isNaN(first)) first = at;
          healed = Number.NaN;
          const text = error instanceof Unavailable ? error.message : String(error);
          failures.set(text, (failures.get(text) ?? 0) + 1);
        },
      );
      await pause(pauseMs);
    }
  })();
  return async () => {
    isStopped = true;
    await running;
    return { first, healed, failures: Object.fromEntries(failures) };
  };
}

/** Writes at once. Fails with what they failed with, if none is stored. */
async function anyOf(write: () => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(Array.from({ length: 12 }, write));
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  if (failed.length === results.length) throw new Error([...new Set(failed)].join(' / '));
}

function report(part: string, figures: object): void {
  process.stdout.write(`${part}: ${JSON.stringify(figures, null, 2)}\n`);
}

/** The processes that pgrep finds. */
function processes(args: readonly string[]): readonly number[] {
  const { stdout } = spawnSync('pgrep', args, { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}

async function run(): Promise<void> {
  start('etcd', 'etcd', [
    ...['--name=one', `--data-dir=${join(folder, 'etcd')}`],
    ...[
      `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
      `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
    ],
    ...[
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
    ],
    `--initial-cluster=one=http://127.0.0.1:${peerPort}`,
  ]);
  await eventually('etcd', async () => (await fetch(`http://127.0.0.1:${etcdPort}/health`)).ok);
  const configA = patroniConfig('a', restA, postgresA);
  start('patroni-a', 'patroni', [configA]);
  await eventually('the primary', async () => (await fetch(`http://127.0.0.1:${restA}/primary`)).ok);
  start('patroni-b', 'patroni', [patroniConfig('b', restB, postgresB)]);
  await eventually('the standby', async () => (await fetch(`http://127.0.0.1:${restB}/synchronous`)).ok);
  start('haproxy', 'haproxy', ['-db', '-f', haproxy]);

  const database = await eventually('the proxy', () => openDatabase(url));
  await eventually('the primary behind the proxy', async () => (await database.writeProblem()) === null);
  await pause(5 * CHECK_INTERVAL_MS);
  await database.migrate();
  await database.write((sql) => sql.run('CREATE TABLE direct (id bigserial PRIMARY KEY)'));
  await database.write((sql) => sql.run('CREATE TABLE ours (id bigserial PRIMARY KEY, number bigint)'));
  const ready = readinessOf(database);
  const stored: number[] = [];
  const doubtful: number[] = [];
  let number = 0;
  const write = async (): Promise<void> => {
    number += 1;
    const own = number;
    try {
      await database.write((sql) => sql.run('INSERT INTO ours (number) VALUES (?)', [own]));
      stored.push(own);
    } catch (error) {
      if (error instanceof Unavailable && error.isOutcomeUnknown) doubtful.push(own);
      throw error;
    }
  };
  const isReady = async (): Promise<void> => {
    const failed = (await ready()).find(({ state }) => state === 'failed');
    if (failed !== undefined) throw new Error(`not ready: ${failed.name} ${failed.reason ?? ''}`);
  };

  const watches = [watch(write), watch(writeAnew), watch(isReady, 500)] as const;
  await pause(2_000);
  const startedAt = performance.now();
  execFileSync(
    'patronictl',
    ['-c', configA, 'switchover', 'rollcall', '--leader', 'a', '--candidate', 'b', '--force'],
    { ...identity, env: { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8' }, stdio: 'pipe' },
  );
  await eventually('b is the leader', async () =>
    (await members()).some(({ name, role }) => name === 'b' && role === 'leader'),
  );
  await pause(15_000);
  const [ours, proxy, probe] = await Promise.all(watches.map((stop) => stop()));
  assert.ok(ours && proxy && probe);
  const shown = ({ first, healed, failures }: typeof ours) => ({
    fromMs: Math.round(first - startedAt),
    toMs: Math.round(healed - startedAt),
    failures,
  });
  report('switchover', { ours: shown(ours), proxy: shown(proxy), readyz: shown(probe) });
  assert.ok(ours.healed - proxy.healed < MAX_BEHIND_PROXY_MS, 'writes fail longer than the proxy needs');
  const kept = new Set(
    (await database.read.all<{ number: number }>('SELECT number FROM ours')).map((row) => row.number),
  );
  assert.deepEqual(
    stored.filter((one) => !kept.has(one)),
    [],
    'an acknowledged write is lost',
  );
  assert.deepEqual(
    [...kept].filter((one) => !stored.includes(one) && !doubtful.includes(one)),
    [],
    'a refused write is stored',
  );

  // The standby, which is now a, is frozen. Patroni takes it out of the list when it notices.
  await eventually(
    'a is the synchronous standby',
    async () => (await fetch(`http://127.0.0.1:${restA}/synchronous`)).ok,
  );
  const direct = new pg.Client({ connectionString: url });
  await direct.connect();
  const own = processes(['-f', join(folder, 'a')]);
  const frozen = [...own, ...own.flatMap((pid) => processes(['-P', String(pid)]))];
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  const frozenAt = performance.now();
  let most = 0;
  const stops = [watch(() => anyOf(write), 20), watch(isReady, 500)] as const;
  try {
    while (performance.now() - frozenAt < 40_000) {
      const { rows } = await direct.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'rollcall'`,
      );
      most = Math.max(most, rows[0].count);
      await pause(100);
    }
  } finally {
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
  }
  const results = await Promise.all(stops.map((stop) => stop()));
  report('frozen standby', { most, failures: results.map(({ failures }) => failures) });
  assert.ok(most <= 10, `${most} connections`);
  await direct.end();
  await database.close();
}

try {
  if (isRoot) {
    chmodSync(folder, 0o755);
    chownSync(folder, NOBODY, NOBODY);
  }
  await run();
} finally {
  for (const child of children.reverse()) child.kill('SIGTERM');
  await pause(8_000);
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(process.exitCode ?? 0);
