import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../support/free-port.js';
import { NOBODY } from '../support/postgres-server.js';
import { guideBlock } from '../support/proxies.js';
import { until } from '../support/wait.js';

/** One of the servers: Patroni and its PostgreSQL. */
export interface Node {
  readonly name: string;
  readonly port: number;
}

/** Three PostgreSQL servers that Patroni and etcd keep, and HAProxy before them, all on this machine. */
export interface Cluster {
  readonly nodes: readonly Node[];
  /** The URL of a database through the proxy that ends the connections of a server that is no longer the primary. */
  cuttingUrl(database?: string): string;
  /** The same through a proxy that lets them be. */
  keepingUrl(database?: string): string;
  directUrl(node: Node, database?: string): string;
  primary(): Promise<Node>;
  setSynchronous(isSynchronous: boolean): Promise<void>;
  /** Makes another server the primary, as an administrator does. */
  switchOver(): Promise<void>;
  /** Kills the server process, as the kernel does when memory is short. Patroni starts it again. */
  crash(node: Node): void;
  /** Kills everything on the node at once, until `revive`. */
  kill(node: Node): void;
  revive(node: Node): void;
  /** Stops everything on the node from running, until `thaw`. */
  freeze(node: Node): void;
  thaw(node: Node): void;
  stopEtcd(): void;
  startEtcd(): void;
  /** Resolves when one server is the primary, and the two others follow it. */
  whole(): Promise<void>;
  remove(): Promise<void>;
}

const PROGRAMS = process.env.POSTGRES_PROGRAMS ?? '/usr/lib/postgresql/15/bin';
const WHOLE_MS = 180_000;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cluster-'));
  chmodSync(folder, 0o755);
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const start = (program: string, args: readonly string[], log: string): ChildProcess => {
    const output = openSync(join(folder, `${log}.log`), 'a');
    const env = { ...process.env, HOME: folder, ETCD_UNSUPPORTED_ARCH: process.arch };
    return spawn(program, args, { ...identity, env, cwd: folder, stdio: ['ignore', output, output] });
  };

  const [etcdPort, peerPort, cutting, keeping] = await ports(4);
  const servers = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const [port, rest] = await ports(2);
      return { name, port, rest, patroni: null as ChildProcess | null };
    }),
  );
  const named = ({ name }: Node) =>
    servers.find((server) => server.name === name) as (typeof servers)[number];
  for (const server of servers) file(`${server.name}.yml`, JSON.stringify(patroniOptions(server)));

  function patroniOptions({ name, port, rest }: Node & { readonly rest: number }): object {
    return {
      scope: 'rollcall',
      name,
      restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
      etcd3: { hosts: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: {
          ...{ ttl: 20, loop_wait: 2, retry_timeout: 5, synchronous_mode: true },
          postgresql: { use_pg_rewind: true, parameters: { max_connections: 80, wal_log_hints: 'on' } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
        pg_hba: [
          'host all all 127.0.0.1/32 scram-sha-256',
          'host replication all 127.0.0.1/32 scram-sha-256',
          'local all all trust',
        ],
      },
      postgresql: {
        ...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}` },
        ...{ data_dir: join(folder, name), bin_dir: PROGRAMS },
        ...{
          remove_data_directory_on_rewind_failure: true,
          remove_data_directory_on_diverged_timelines: true,
        },
        authentication: {
          superuser: { username: 'rollcall', password: 'rollcall' },
          replication: { username: 'replicator', password: 'replicator' },
          rewind: { username: 'rewinder', password: 'rewinder' },
        },
        parameters: { unix_socket_directories: folder },
      },
    };
  }

  const checked = servers
    .map(({ name, port, rest }) => `  server ${name} 127.0.0.1:${port} check port ${rest}`)
    .join('\n');
  const guideLines = guideBlock('haproxy-primary');
  const listen = (name: string, port: number, lines: string) => `listen ${name}
  bind 127.0.0.1:${port}
${lines}${checked}
`;
  const haproxyFile = file(
    'haproxy.cfg',
    `defaults
  timeout connect 2s
  timeout check 1s
  timeout client 1h
  timeout server 1h
${listen('cutting', cutting, guideLines)}${listen('keeping', keeping, guideLines.replace(' on-marked-down shutdown-sessions', ''))}`,
  );

  let etcd: ChildProcess | null = null;
  const startEtcd = (): void => {
    const own = `http://127.0.0.1:${etcdPort}`;
    const peers = `http://127.0.0.1:${peerPort}`;
    etcd = start(
      'etcd',
      [
        ...['--name=one', `--data-dir=${join(folder, 'etcd')}`, `--initial-cluster=one=${peers}`],
        ...[`--listen-client-urls=${own}`, `--advertise-client-urls=${own}`],
        ...[`--listen-peer-urls=${peers}`, `--initial-advertise-peer-urls=${peers}`],
      ],
      'etcd',
    );
  };
  const revive = (node: Node): void => {
    const server = named(node);
    server.patroni = start('patroni', [join(folder, `${server.name}.yml`)], server.name);
  };
  const postmaster = ({ name }: Node): readonly number[] => {
    try {
      return [Number(readFileSync(join(folder, name, 'postmaster.pid'), 'utf8').split('\n', 1)[0])];
    } catch {
      return [];
    }
  };
  const signalAll = (node: Node, signal: NodeJS.Signals): void => {
    const patroni = named(node).patroni?.pid;
    for (const pid of [...(patroni === undefined ? [] : [patroni]), ...postmaster(node)])
      for (const one of [pid, ...childrenOf(pid)]) tryKill(one, signal);
  };
  const members = async (): Promise<readonly Member[]> => {
    for (const { rest } of servers) {
      const answer = await fetch(`http://127.0.0.1:${rest}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null);
      if (answer?.ok) return ((await answer.json()) as { readonly members: readonly Member[] }).members;
    }
    return [];
  };
  const statusOf = async (node: Node, path: string): Promise<number> =>
    (
      await fetch(`http://127.0.0.1:${named(node).rest}/${path}`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null)
    )?.status ?? 0;
  let isSynchronous = true;
  const isWhole = async (): Promise<boolean> => {
    const found = await members();
    const followers = found.filter(
      ({ role, state }) => role !== 'leader' && /^(running|streaming)$/.test(state),
    );
    const hasStandby = found.some(({ role }) => role === 'sync_standby');
    if (followers.length < 2 || hasStandby !== isSynchronous) return false;
    const primaries = await Promise.all(servers.map((one) => statusOf(one, 'primary')));
    if (primaries.filter((status) => status === 200).length !== 1) return false;
    // Patroni may not have noticed yet that a server has gone.
    return (await Promise.all(servers.map(({ port }) => answers(url(port))))).every(Boolean);
  };
  const whole = async (): Promise<void> => {
    if (!(await until(isWhole, WHOLE_MS)))
      throw new Error(`the cluster is not whole: ${JSON.stringify(await members())}`);
  };
  const primary = async (): Promise<Node> => {
    for (const server of servers) if ((await statusOf(server, 'primary')) === 200) return server;
    throw new Error('no server is the primary');
  };
  const url = (port: number, database = 'postgres') =>
    `postgres://rollcall:rollcall@127.0.0.1:${port}/${database}?sslmode=disable`;

  let haproxy: ChildProcess | null = null;
  const killAll = (): void => {
    for (const server of servers) signalAll(server, 'SIGKILL');
    for (const child of [haproxy, etcd]) child?.kill('SIGKILL');
  };
  process.once('exit', killAll);
  startEtcd();
  await until(
    async () => (await fetch(`http://127.0.0.1:${etcdPort}/health`).catch(() => null))?.ok === true,
    30_000,
  );
  for (const server of servers) {
    revive(server);
    if (server === servers[0]) await until(async () => (await statusOf(server, 'primary')) === 200, 60_000);
  }
  haproxy = start('haproxy', ['-db', '-f', haproxyFile], 'haproxy');
  await whole();
  return {
    nodes: servers,
    cuttingUrl: (database) => url(cutting, database),
    keepingUrl: (database) => url(keeping, database),
    directUrl: ({ port }, database) => url(port, database),
    primary,
    async setSynchronous(on) {
      const node = named(await primary());
      const answer = await fetch(`http://127.0.0.1:${node.rest}/config`, {
        ...{ method: 'PATCH', body: JSON.stringify({ synchronous_mode: on }) },
      });
      if (!answer.ok) throw new Error(await answer.text());
      isSynchronous = on;
      await whole();
    },
    async switchOver() {
      const leader = named(await primary());
      const found = await members();
      const candidate = found.find(({ role }) => role === (isSynchronous ? 'sync_standby' : 'replica'))?.name;
      const answer = await fetch(`http://127.0.0.1:${leader.rest}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: leader.name, candidate }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    crash(node) {
      for (const pid of postmaster(node)) tryKill(pid, 'SIGKILL');
    },
    kill: (node) => signalAll(node, 'SIGKILL'),
    revive,
    freeze: (node) => signalAll(node, 'SIGSTOP'),
    thaw: (node) => signalAll(node, 'SIGCONT'),
    stopEtcd: () => void etcd?.kill('SIGKILL'),
    startEtcd,
    whole,
    async remove() {
      killAll();
      await pause(1_000);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function ports<const Count extends number>(
  count: Count,
): Promise<Count extends 2 ? [number, number] : [number, number, number, number]> {
  return (await Promise.all(Array.from({ length: count }, freePort))) as never;
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000, query_timeout: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    void client.end().catch(() => undefined);
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
