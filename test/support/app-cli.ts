import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The compiled command line, run as people run it: as a process of its own in a directory of its own. */

export const rollcall = fileURLToPath(import.meta.resolve('#app/rollcall.js'));

export interface RunOptions {
  readonly cwd: string;
  /** Beside these the process knows nothing of this one's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty if left out. */
  readonly input?: string | Uint8Array;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** What the pattern found in one of the outputs; throws when the process ends or 30 s pass without it. */
  see(pattern: RegExp, where?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
  readonly ended: Promise<Finished>;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

const MAX_OUTPUT_WAIT_MS = 30_000;

/** Runs a command to its end, which has to come within two minutes. */
export async function run(args: readonly string[], options: RunOptions): Promise<Finished> {
  const { child, ended } = start(args, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
  const finished = await ended;
  clearTimeout(timer);
  return finished;
}

/** Starts a command that goes on until it is stopped. */
export function start(args: readonly string[], { cwd, env = {}, input = '' }: RunOptions): Running {
  return startProgram(process.execPath, [rollcall, ...args], {
    cwd,
    env: { ...bareEnvironment(), ...env },
    input,
  });
}

export type Terminal = 'script' | 'stand-in';

/** Those that can be had here: the one that util-linux's `script` makes, where that is, and pipes that look like one. */
export const terminals: readonly Terminal[] = hasScript() ? ['script', 'stand-in'] : ['stand-in'];

function hasScript(): boolean {
  return String(spawnSync('script', ['--version']).stdout).includes('util-linux');
}

/** Starts a command on a terminal of its own; what it prints comes as `stdout`. */
export function startOnTerminal(
  args: readonly string[],
  cwd: string,
  terminal: Terminal = terminals[0] ?? 'stand-in',
): Running {
  const command = [process.execPath, rollcall, ...args];
  const { program, options } = onTerminal[terminal](command);
  return follow(spawn(program, options, { cwd, env: bareEnvironment(), stdio: 'pipe' }));
}

type ToTerminal = (command: readonly string[]) => {
  readonly program: string;
  readonly options: readonly string[];
};

const onTerminal: Readonly<Record<Terminal, ToTerminal>> = {
  script: (command) => ({
    program: 'script',
    options: ['-qefc', command.map((part) => `'${part}'`).join(' '), '/dev/null'],
  }),
  'stand-in': ([program = '', ...options]) => ({
    program,
    options: ['--import', String(new URL('terminal.js', import.meta.url)), ...options],
  }),
};

export type Curl = 'curl' | 'stand-in';

/** Those that can be had here: the machine's, where it has one, and ours, which knows what our commands need. */
export const curls: readonly Curl[] = hasCurl() ? ['curl', 'stand-in'] : ['stand-in'];

function hasCurl(): boolean {
  return spawnSync('curl', ['--version']).status === 0;
}

/** Runs a line of shell. */
export async function shell(
  line: string,
  cwd: string,
  curl: Curl = curls[0] ?? 'stand-in',
): Promise<Finished> {
  const standIn = `curl() { '${process.execPath}' '${fileURLToPath(new URL('curl.js', import.meta.url))}' "$@"; }`;
  const script = curl === 'curl' ? line : `${standIn}\n${line}`;
  return startProgram('sh', ['-c', script], { cwd, env: bareEnvironment(), input: '' }).ended;
}

function startProgram(
  program: string,
  args: readonly string[],
  {
    cwd,
    env,
    input,
  }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly input: string | Uint8Array },
): Running {
  const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
  child.stdin.end(input);
  return follow(child);
}

function follow(child: ChildProcessWithoutNullStreams): Running {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  child.stdin.on('error', () => undefined);

  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
  return {
    child,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
    see: (pattern, where = 'stdout') => see({ child, texts, pattern, where }),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

async function see({
  child,
  texts,
  pattern,
  where,
}: {
  readonly child: ChildProcessWithoutNullStreams;
  readonly texts: Readonly<Record<'stdout' | 'stderr', string>>;
  readonly pattern: RegExp;
  readonly where: 'stdout' | 'stderr';
}): Promise<RegExpExecArray> {
  const until = performance.now() + MAX_OUTPUT_WAIT_MS;
  for (;;) {
    const found = pattern.exec(texts[where]);
    if (found !== null) return found;
    // What it said at its end is still read after it.
    const isOver = child.stdout.readableEnded && child.stderr.readableEnded;
    if (isOver || performance.now() > until) {
      throw new Error(`${pattern} did not come.\nstdout: ${texts.stdout}\nstderr: ${texts.stderr}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function bareEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'NODE_V8_COVERAGE', 'SystemRoot'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** A new empty directory, removed by `remove`. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-app-')));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The lines of a text, without the empty end. */
export function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
