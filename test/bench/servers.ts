import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort, rollcall } from '../support/app-cli.js';
import type { LoopDelay } from './probe.js';

/** What the rows are in. */
export type Engine = 'SQLite' | 'PostgreSQL';

/** A server that is measured. */
export interface Subject {
  readonly name: 'product' | 'floor' | 'floor behind Express';
  readonly port: number;
  readonly pid: number;
  /** Milliseconds of CPU that the process has taken so far, in steps of 10 where the kernel does not tell more. */
  cpu(): number;
  /** Forgets the largest memory so far, where the system lets us. */
  resetPeak(): void;
  /** Megabytes: the largest memory since. */
  peak(): number;
  /** How late its event loop was since this was asked last. */
  loopDelay(): Promise<LoopDelay>;
  stop(): Promise<void>;
}

/** What both kinds of server are given. */
export interface Served {
  readonly engine: Engine;
  /** Of the database, as the product is told it. */
  readonly url: string;
  readonly cwd: string;
  readonly secretKey: string;
  /** The core of its own, if there is one to have. */
  readonly core: number | null;
}

const probe = new URL('probe.js', import.meta.url).href;
const publicUrl = 'http://localhost:3000';
const START_TIMEOUT_MS = 30_000;
/** The kernel counts CPU in such steps, in milliseconds. */
const TICK = 10;

/** The product as it is run, with its log going nowhere. */
export async function startProduct(served: Served): Promise<Subject> {
  const port = await freePort();
  const child = spawnPinned([rollcall, 'serve'], served, {
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    DATABASE_URL: served.url,
  });
  child.stdout?.resume();
  await ready(child, async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  return subject('product', child, port);
}

/** The floor, on its own or behind Express. */
export async function startFloor(served: Served, front: 'bare' | 'express'): Promise<Subject> {
  const program = fileURLToPath(new URL('floor.js', import.meta.url));
  const avatar = `${publicUrl}/assets/default-avatar.svg`;
  const child = spawnPinned([program, served.url, front, avatar], served, {});
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await ready(child, async () => text.includes('\n'));
  return subject(front === 'bare' ? 'floor' : 'floor behind Express', child, Number(text));
}

export interface Imported {
  /** Milliseconds. */
  readonly elapsedMs: number;
  /** Milliseconds of the importing process. */
  readonly cpu: number;
  /** The largest memory in megabytes. */
  readonly peak: number;
}

/** Loads a file by the product's own import, on the servers' core: PostgreSQL has the other one. */
export async function importFile(file: string, served: Served): Promise<Imported> {
  const started = performance.now();
  const child = spawnPinned([rollcall, 'import', file], served, { DATABASE_URL: served.url });
  child.stdout?.resume();
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  let [peak, cpu] = [0, 0];
  const look = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid) ?? 0);
    cpu = Math.max(cpu, cpuOf(child.pid) ?? 0);
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(look);
  if (code !== 0) throw new Error(`the import ended with ${code}: ${said}`);
  return { elapsedMs: performance.now() - started, cpu, peak };
}

/** Milliseconds; null: it runs no more. */
function cpuOf(pid: number | undefined): number | null {
  try {
    return preciseCpuOf(pid) ?? countedCpuOf(pid);
  } catch {
    return null;
  }
}

/** Of every thread, to the nanosecond, where the kernel keeps it; threads that have ended are not counted. */
function preciseCpuOf(pid: number | undefined): number | null {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(`/proc/${pid}/schedstat`)) return null;
  const times = readdirSync(folder).map((thread) =>
    Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

function countedCpuOf(pid: number | undefined): number {
  // The name of the program is in brackets and may hold anything; user and system time are the 12th and 13th after it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

/** Megabytes; null: it runs no more. */
function peakOf(pid: number | undefined): number | null {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    return null;
  }
}

const running = new Set<ChildProcess>();
// Also when this process ends by an error: nothing goes on without it.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function spawnPinned(
  args: readonly string[],
  { cwd, secretKey, core }: Served,
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const node = [process.execPath, '--import', probe, ...extraArguments(), ...args];
  const [program = '', ...rest] = core === null ? node : ['taskset', '-c', String(core), ...node];
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SECRET_KEY: secretKey, ...env },
    stdio: [
      'pipe',
      args.includes('serve') ? 'ignore' : 'pipe',
      args.includes('import') ? 'pipe' : 'inherit',
      'ipc',
    ],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Arguments for the servers' own Node, such as `--cpu-prof`. */
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
        // Then the peak is that of the process's whole life.
      }
    },
    peak: () => peakOf(pid) ?? Number.NaN,
    async loopDelay() {
      const told = once(child, 'message');
      child.send('tell');
      return (await told)[0] as LoopDelay;
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

/** Pins this process, which makes the load, and says which core the servers get; null where there is but one, or no `taskset`. */
export function shareCores(): number | null {
  try {
    execFileSync('taskset', ['-acp', '1', String(process.pid)], { stdio: 'ignore' });
    return 0;
  } catch {
    return null;
  }
}
