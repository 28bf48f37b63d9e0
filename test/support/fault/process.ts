import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Running, rollcall } from '../app-cli.js';

export { freePort, linesOf, type Running, temporaryDirectory } from '../app-cli.js';

export interface StartProgram {
  readonly cwd: string;
  /** The whole environment, besides PATH and HOME. */
  readonly env: Readonly<Record<string, string>>;
  /** A program that becomes the command which follows it, such as a shell that sets a limit, with its arguments. */
  readonly under?: readonly string[];
}

const TIMEOUT_MS = 30_000;

/** Child processes that run when this process ends: they are killed with it. */
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

/** Starts a `rollcall` command in the place of whatever stands before it: a signal goes to the command itself. */
export function start(args: readonly string[], options: StartProgram): Running {
  return startProgram([process.execPath, rollcall, ...args], options);
}

export function startProgram(command: readonly string[], options: StartProgram): Running {
  const { cwd, env, under = [] } = options;
  const [program = '', ...args] = [...under, ...command];
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const ended = once(child, 'close')
    .then(([code, signal]) => ({ code, signal, ...texts }))
    .finally(() => children.delete(child));
  return {
    child,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
    async see(pattern, where = 'stdout') {
      const until = performance.now() + TIMEOUT_MS;
      for (;;) {
        const found = pattern.exec(texts[where]);
        if (found !== null) return found;
        const isOver = child.exitCode !== null || child.signalCode !== null;
        if (isOver || performance.now() > until) {
          throw new Error(`${pattern} did not come.\nstdout: ${texts.stdout}\nstderr: ${texts.stderr}`);
        }
        await pause(10);
      }
    },
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

/** Whether a command can be run here; it must end with 0. */
export async function works(command: readonly string[]): Promise<boolean> {
  try {
    const { code } = await startProgram(command, { cwd: '/', env: {} }).ended;
    return code === 0;
  } catch {
    return false;
  }
}

/** Resolves with the promise's value, or with 'too late' after `longest` milliseconds. */
export async function within<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value | 'too late'> {
  const over = new AbortController();
  const late = pause(timeoutMs, 'too late' as const, { signal: over.signal }).catch(
    () => 'too late' as const,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}

/**
 * How slow the machine is meanwhile: the longest time, in milliseconds, by which a timer of this process was
 * late. Limits on how long something may take are for a machine that has time for it.
 */
export function watchSlowness(): { stop(): number } {
  const every = 20;
  let latest = performance.now();
  let slowest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    slowest = Math.max(slowest, now - latest - every);
    latest = now;
  }, every);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(slowest);
    },
  };
}
