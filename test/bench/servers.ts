import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort, rollcall } from '../support/app-cli.js';
import { memoryOf } from '../support/process-memory.js';
import type { LoopDelay } from './probe.js';

/** The database engine. */
export type Engine = 'SQLite' | 'PostgreSQL';

/** A server that is measured. */
export interface Subject {
  readonly name: 'product' | 'floor' | 'floor behind Express';
  readonly port: number;
  readonly pid: number;
  /** Milliseconds of CPU that the process has used so far; in steps of 10 on kernels that are not more precise. */
  cpu(): number;
  /** Resets the peak memory, where the system allows it. */
  resetPeak(): void;
  /** The peak memory since then, in megabytes. */
  peak(): number;
  /** How late its event loop was since the last call. */
  loopDelay(): Promise<LoopDelay>;
  stop(): Promise<void>;
}

/** The settings of both kinds of server. */
export interface Served {
  readonly engine: Engine;
  /** The product's `DATABASE_URL`. */
  readonly url: string;
  readonly cwd: string;
  readonly secretKey: string;
  /** The server's own core; null if the cores are shared. */
  readonly core: number | null;
}

const probe = new URL('probe.js', import.meta.url).href;
export const publicUrl = 'http://localhost:3000';
const START_TIMEOUT_MS = 60_000;
/** The step in which the kernel counts CPU. */
const TICK_MS = 10;

/** Starts the product as in production, without its log. `env` are more of its variables. */
export async function startProduct(
  served: Served,
  env: Readonly<Record<string, string>> = {},
): Promise<Subject> {
  const port = await freePort();
  const child = spawnPinned([rollcall, 'serve'], served, {
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    DATABASE_URL: served.url,
    ...env,
  });
  child.stdout?.resume();
  await ready(child, async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  return subject('product', child, port);
}

/** Starts the floor, bare or behind Express. */
export async function startFloor(served: Served, front: 'bare' | 'express'): Promise<Subject> {
  const avatar = `${publicUrl}/assets/default-avatar.svg`;
  const name = front === 'bare' ? 'floor' : 'floor behind Express';
  return startProgram(served, name, ['floor.js', served.url, front, avatar]);
}

/** Starts a program of the bench that prints its port. */
async function startProgram(
  served: Served,
  name: Subject['name'],
  [file = '', ...args]: readonly string[],
): Promise<Subject> {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child = spawnPinned([program, ...args], served, {});
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await ready(child, async () => text.includes('\n'));
  return subject(name, child, Number(text));
}

export interface Imported {
  /** Milliseconds. */
  readonly elapsedMs: number;
  /** Milliseconds of CPU of the importing process. */
  readonly cpu: number;
  /** The largest memory in megabytes. */
  readonly peak: number;
}

/** Imports a file with the product's own command, on the servers' core. PostgreSQL has the other one. */
export function importFile(file: string, served: Served): Promise<Imported> {
  return timed([rollcall, 'import', file], served);
}

/** Imports a file with the floor, in the same way. */
export function importWithFloor(file: string, served: Served): Promise<Imported> {
  return timed([fileURLToPath(new URL('floor-import.js', import.meta.url)), served.url, file], served);
}

/** Creates the tables of an empty database. */
export async function migrate(served: Served): Promise<void> {
  await timed([rollcall, 'migrate'], served);
}

/** Runs a program to its end. */
async function timed(args: readonly string[], served: Served): Promise<Imported> {
  const started = performance.now();
  const child = spawnPinned(args, served, { DATABASE_URL: served.url });
  child.stdout?.resume();
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  let [peak, cpu] = [0, 0];
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid, 'peak'));
    cpu = Math.max(cpu, cpuOf(child.pid) ?? 0);
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors}`);
  return { elapsedMs: performance.now() - started, cpu, peak };
}

/** Milliseconds; null if the process has ended. */
export function cpuOf(pid: number | undefined): number | null {
  try {
    return preciseCpuOf(pid) ?? countedCpuOf(pid);
  } catch {
    return null;
  }
}

/** The sum over all running threads, precise to the nanosecond; null if the kernel does not count it. */
function preciseCpuOf(pid: number | undefined): number | null {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(`/proc/${pid}/schedstat`)) return null;
  const times = readdirSync(folder).map((thread) =>
    Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

function countedCpuOf(pid: number | undefined): number {
  // The program's name is in brackets and may contain anything. User and system time are the 12th and 13th field after it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const running = new Set<ChildProcess>();
// Also if this process ends by an error: no server outlives it.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function spawnPinned(
  args: readonly string[],
  { cwd, secretKey, core }: Served,
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const node = [process.execPath, ...asServed, '--import', probe, ...extraArguments(), ...args];
  const [program = '', ...rest] = core === null ? node : ['taskset', '-c', String(core), ...node];
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SECRET_KEY: secretKey, ...env },
    stdio: [
      'pipe',
      args.includes('serve') ? 'ignore' : 'pipe',
      args.includes('import') || args.includes('migrate') ? 'pipe' : 'inherit',
      'ipc',
    ],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** As `npm start` runs the service. The floor has it, too. */
export const asServed = ['--v8-pool-size=0', '--max-semi-space-size=4'];

/** More arguments for the servers' Node, such as `--cpu-prof`. */
function extraArguments(): readonly string[] {
  return (process.env.BENCH_NODE_ARGUMENTS ?? '').split(' ').filter((argument) => argument !== '');
}

async function ready(child: ChildProcess, ask: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (!(await ask().catch(() => false))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`);
    if (performance.now() > until) throw new Error(`${child.spawnargs.join(' ')} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function subject(name: Subject['name'], child: ChildProcess, port: number): Subject {
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} has not started`);
  return {
    name,
    port,
    pid,
    cpu: () => cpuOf(pid) ?? Number.NaN,
    resetPeak() {
      try {
        writeFileSync(`/proc/${pid}/clear_refs`, '5');
      } catch {
        // Then the peak is the one since the process started.
      }
    },
    peak: () => memoryOf(pid, 'peak') || Number.NaN,
    async loopDelay() {
      const message = once(child, 'message');
      child.send('delay');
      return (await message)[0] as LoopDelay;
    },
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(kill);
    },
  };
}

/** Pins this process, which is the client, to core 1. Returns the servers' core; null with one core or without `taskset`. */
export function shareCores(): number | null {
  try {
    execFileSync('taskset', ['-acp', '1', String(process.pid)], { stdio: 'ignore' });
    return 0;
  } catch {
    return null;
  }
}
