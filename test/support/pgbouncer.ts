import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.js';
import { NOBODY } from './postgres-server.js';

/** PgBouncer in transaction mode in front of a PostgreSQL server. */
export interface PgBouncer {
  /** The URL of a database through the pooler. */
  url(database?: string): string;
  /** Stops PgBouncer, and removes its files. */
  remove(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** Fewer than the connections of a service, so that they are often reassigned. */
const SERVER_CONNECTIONS = 5;

/** Starts PgBouncer. Throws with the name of the package if it is not installed. */
export async function startPgBouncer(server: string): Promise<PgBouncer> {
  const isInstalled = spawnSync('pgbouncer', ['--version'], { stdio: 'ignore' }).status === 0;
  if (!isInstalled) throw new Error('PgBouncer is not installed: apt-get install pgbouncer');
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-pgbouncer-'));
  const port = await freePort();
  const child = await launch({ folder, port, server: new URL(server) });
  const bouncer: PgBouncer = {
    url(database = 'postgres') {
      const own = new URL(server);
      own.port = String(port);
      own.pathname = `/${database}`;
      return own.href;
    },
    async remove() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await waitUntilReady(bouncer.url(), child);
    return bouncer;
  } catch (cause) {
    const log = await readFile(join(folder, 'log'), 'utf8').catch(() => '');
    await bouncer.remove();
    throw new Error(`PgBouncer does not start: ${log}`, { cause });
  }
}

interface Launch {
  readonly folder: string;
  readonly port: number;
  readonly server: URL;
}

/** PgBouncer refuses to run as root. If the tests do, it runs as nobody. */
async function launch({ folder, port, server }: Launch): Promise<ChildProcess> {
  const { username, password } = server;
  const users = join(folder, 'users');
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
logfile = ${join(folder, 'log')}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 500
`,
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chmod(folder, 0o755);
    await chown(folder, NOBODY, NOBODY);
  }
  const child = spawn('pgbouncer', ['-q', file], {
    stdio: 'ignore',
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  child.on('error', () => undefined);
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > end) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await pause(50);
  }
}
