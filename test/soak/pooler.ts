import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { FaultReport } from '../support/fault/audit.js';
import { freePort } from '../support/free-port.js';
import { NOBODY, startPostgresServer } from '../support/postgres-server.js';
import { filesAt, listTestFiles } from '../support/run/test-files.js';

/** PgBouncer in transaction mode in front of a PostgreSQL server. */
interface PgBouncer {
  /** The URL of a database through the pooler. */
  url(database?: string): string;
  /** Stops PgBouncer, and removes its files. */
  remove(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** Fewer than the connections of a service, so that they are often reassigned. */
const SERVER_CONNECTIONS = 5;

/** Starts PgBouncer. Throws with the name of the package if it is not installed. */
async function startPgBouncer(server: string): Promise<PgBouncer> {
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

/**
 * Runs the test files whose paths contain one of the parts, over PostgreSQL behind PgBouncer, which lends a connection
 * for one transaction.
 */
export async function testThroughPooler(
  parts: readonly string[],
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<FaultReport> {
  const server = await startPostgresServer();
  let pooler: PgBouncer | null = null;
  try {
    pooler = await startPgBouncer(server.url());
    return await runTests({ server: server.url(), pooler: pooler.url(), parts, timeoutMs });
  } finally {
    await pooler?.remove();
    await server.remove();
  }
}

interface RunTests {
  readonly server: string;
  readonly pooler: string;
  readonly parts: readonly string[];
  readonly timeoutMs: number;
}

async function runTests({ server, pooler, parts, timeoutMs }: RunTests): Promise<FaultReport> {
  const compiled = fileURLToPath(new URL('../', import.meta.url));
  const files = filesAt(listTestFiles(join(compiled, '..')), parts);
  if (files.length < parts.length)
    throw new Error(`of ${parts.join(', ')} there are only ${files.join(', ')}`);
  const paths = files.map((file) => join(compiled, file.replace(/\.tsx?$/, '.js')));
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', ...paths], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TEST_POSTGRES_URL: server, TEST_POSTGRES_POOLER_URL: pooler },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const count = (name: string): number =>
    Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
  const failed = output.split('\n').filter((line) => /^\s*not ok /.test(line));
  const passed = count('pass');
  const problems = code === 0 && passed > 0 ? [] : [`the tests ended with ${code}`, ...failed];
  return { counts: { passed, failed: count('fail') }, problems };
}
