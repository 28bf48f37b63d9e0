import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Product, startProduct } from './product.js';

/** Somebody else's program that is used with the product. */
export interface Peer {
  readonly name: string;
  /** Pinned packages of npm. The first gives the version. */
  readonly npm?: readonly string[];
  /** Debian's packages. The first gives the version, unless there are packages of npm. */
  readonly debian?: readonly string[];
  /** Those that it has to do with. Both, if left out. */
  readonly databases?: readonly DatabaseKind[];
  /** The line of configuration that it needs. `run` uses it. */
  readonly needs?: string;
  /** What it does otherwise than it should, where the product is right. `run` expects it. */
  readonly but?: string;
  /** What does not work, and why. `run` fails if it does work. */
  readonly fails?: string;
  /** Throws if the peer gives another value than the right one. Runs once for each database. */
  run(context: Context): Promise<void>;
}

export interface Group {
  readonly title: string;
  /** What is tried with each of its peers. */
  readonly tried: string;
  readonly peers: readonly Peer[];
}

export type DatabaseKind = 'sqlite' | 'postgres';

/** What a peer gets for one run. Everything that it starts is stopped after the run. */
export class Context {
  readonly #children: ChildProcess[] = [];
  readonly #ends: (() => unknown)[] = [];
  readonly kind: DatabaseKind;
  /** An empty database. */
  readonly databaseUrl: string;
  /** Another empty database, on PostgreSQL, for peers that need one. */
  readonly postgresUrl: string;
  /** A new folder. The packages of npm are in its parent. */
  readonly cwd: string;
  /** A newer Node, which most of the packages need. */
  readonly node: string;

  constructor(given: Pick<Context, 'kind' | 'databaseUrl' | 'postgresUrl' | 'cwd' | 'node'>) {
    this.kind = given.kind;
    this.databaseUrl = given.databaseUrl;
    this.postgresUrl = given.postgresUrl;
    this.cwd = given.cwd;
    this.node = given.node;
    mkdirSync(this.cwd);
    this.file('package.json', '{ "private": true, "type": "module" }');
  }

  /** Starts the product with the dataset of the peers, and further settings. `node` is another Node to run it. */
  async product(env: Readonly<Record<string, string>> = {}, node?: string): Promise<Product> {
    const product = await startProduct({ DATABASE_URL: this.databaseUrl, ...env }, node);
    this.onEnd(() => product.stop());
    return product;
  }

  /** Writes a file, and returns its path. */
  file(name: string, text: string | Uint8Array): string {
    const path = join(this.cwd, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a program to its end, and returns what it printed. */
  exec(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return execute(command, args, { cwd: this.cwd, env });
  }

  /** Starts a server, and resolves when its port accepts connections. The function returned gives its output. */
  async serve(
    port: number,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<() => string> {
    const options = { cwd: this.cwd, env: { ...process.env, HOME: this.cwd, ...env }, detached: true };
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    if (child.pid !== undefined) groups.add(child.pid);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.on('error', (error) => {
      output += error;
    });
    for (let left = 600; left > 0; left -= 1) {
      if (await isOpen(port)) return () => output;
      if (child.exitCode !== null || child.pid === undefined) break;
      await pause(100);
    }
    throw new Error(`${command} does not start: ${output}`);
  }

  onEnd(end: () => unknown): void {
    this.#ends.push(end);
  }

  async end(): Promise<void> {
    for (const { pid, exitCode, signalCode } of this.#children)
      if (pid !== undefined && exitCode === null && signalCode === null) killGroup(pid);
      else if (pid !== undefined) groups.delete(pid);
    for (const end of this.#ends.reverse()) await end();
  }
}

const groups = new Set<number>();
process.once('exit', () => {
  for (const pid of groups) killGroup(pid);
});

/** Workers of a server are in its process group. */
function killGroup(pid: number): void {
  groups.delete(pid);
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}

const MAX_COMMAND_MS = 300_000;

export async function execute(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: MAX_COMMAND_MS, maxBuffer: 200_000_000 };
  const { stdout } = await promisify(execFile)(command, args, options);
  return stdout;
}
