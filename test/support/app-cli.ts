import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { startHosted } from './command-host/host.js';
import { seeIn } from './command-host/see.js';

export { freePort } from './free-port.js';

/** Runs the compiled command line as users do: in a separate process and directory. */

export const rollcall = fileURLToPath(import.meta.resolve('#app/rollcall.cjs'));

/** The coverage is measured in the files that the bundle is made of. */
const measured = fileURLToPath(import.meta.resolve('#app/command-line.js'));

export interface RunOptions {
  readonly cwd: string;
  /** Added to a minimal environment. The other variables of this process are not inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty if left out. */
  readonly input?: string | Uint8Array;
  /** Another Node to run it. */
  readonly node?: string;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The process of a command. */
export type Child = Pick<ChildProcess, 'pid' | 'kill' | 'exitCode' | 'signalCode'>;

export interface Running<Process = Child> {
  readonly child: Process;
  stdout(): string;
  stderr(): string;
  /** Waits until an output matches the pattern. Throws if the process ends or two minutes pass first. */
  see(pattern: RegExp, where?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
  readonly ended: Promise<Finished>;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
  /** Ends it when the test is over, in the way that costs least. */
  discard(): Promise<void>;
}

const MAX_COMMAND_MS = 120_000;

/** Runs a command to its end. It is killed after two minutes. */
export async function run(args: readonly string[], options: RunOptions): Promise<Finished> {
  const { child, ended } = start(args, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_COMMAND_MS);
  const finished = await ended;
  clearTimeout(timer);
  return finished;
}

/** Starts a command in a process that runs one command after the other, or in a process of its own. */
export function start(args: readonly string[], options: RunOptions): Running {
  if (!canBeHosted(options)) return startAlone(args, options);
  const { cwd, env = {}, input = '' } = options;
  return startHosted({
    args,
    cwd,
    env: { ...bareEnvironment(), ...env },
    input: Buffer.from(input).toString('base64'),
  });
}

/** Node reads some variables only when it starts. */
function canBeHosted({ env = {}, node }: RunOptions): boolean {
  return (
    node === undefined &&
    process.env.NODE_TEST_CONTEXT !== undefined &&
    !Object.keys(env).some((name) => name.startsWith('NODE_') || name === 'TZ')
  );
}

/** Starts a command in a process of its own: for tests of how it ends, and of its streams. */
export function startAlone(
  args: readonly string[],
  { cwd, env = {}, input = '', node = process.execPath }: RunOptions,
): Running<ChildProcess> {
  const coverage = coverageOf(args);
  return startProgram(node, [programFor(coverage), ...args], {
    cwd,
    env: { ...bareEnvironment(), ...coverage, ...env },
    input,
  });
}

type Terminal = 'script' | 'stand-in';

/** The terminal here: that of util-linux's `script`, if installed, or pipes that imitate one. */
export const terminal: Terminal = hasScript() ? 'script' : 'stand-in';

function hasScript(): boolean {
  return String(spawnSync('script', ['--version']).stdout).includes('util-linux');
}

/** Starts a command on a separate terminal. All its output is in `stdout`. */
export function startOnTerminal(args: readonly string[], cwd: string): Running<ChildProcess> {
  const coverage = coverageOf(args);
  const command = [process.execPath, programFor(coverage), ...args];
  const { program, options } = onTerminal[terminal](command);
  return follow(spawn(program, options, { cwd, env: { ...bareEnvironment(), ...coverage }, stdio: 'pipe' }));
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

type Curl = 'curl' | 'stand-in';

/** The installed version of curl, if any, or ours, which has only the options that we use. */
export const curl: Curl = hasCurl() ? 'curl' : 'stand-in';

function hasCurl(): boolean {
  return spawnSync('curl', ['--version']).status === 0;
}

/** Runs a shell command line. */
export async function shell(line: string, cwd: string): Promise<Finished> {
  const standIn = `curl() { '${process.execPath}' '${fileURLToPath(new URL('curl.js', import.meta.url))}' "$@"; }`;
  const script = curl === 'curl' ? line : `${standIn}\n${line}`;
  return startProgram('sh', ['-c', script], { cwd, env: { ...bareEnvironment(), ...unmeasured }, input: '' })
    .ended;
}

function startProgram(
  program: string,
  args: readonly string[],
  {
    cwd,
    env,
    input,
  }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly input: string | Uint8Array },
): Running<ChildProcess> {
  const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
  child.stdin.end(input);
  return follow(child);
}

/** Collects what a process writes. */
export function follow(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
): Running<ChildProcess> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  child.stdin?.on('error', () => undefined);

  const hasEnded = (): boolean => child.stdout.readableEnded && child.stderr.readableEnded;
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
  return {
    child,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
    see: (pattern, where = 'stdout') => seeIn({ outputs: () => texts, where, hasEnded, pattern }),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
    async discard() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function programFor({ NODE_V8_COVERAGE }: NodeJS.ProcessEnv): string {
  return NODE_V8_COVERAGE === undefined ? rollcall : measured;
}

const started = new Set<string>();

/** The number of test files that measure the coverage of a command. */
const MAX_MEASURED = 3;

/**
 * Measures the coverage of a command in the first test files that start it, once in each. A command that is measured
 * needs 40 % more CPU, and leaves a report of 3 MB to read.
 */
function coverageOf(args: readonly string[]): NodeJS.ProcessEnv {
  const { NODE_V8_COVERAGE } = process.env;
  const command = args.slice(0, 2).join(' ');
  if (NODE_V8_COVERAGE === undefined || started.has(command)) return unmeasured;
  started.add(command);
  const name = encodeURIComponent(command);
  for (let number = 1; number <= MAX_MEASURED; number += 1)
    if (isCreated(join(NODE_V8_COVERAGE, `measured-${name}-${number}`))) return { NODE_V8_COVERAGE };
  return unmeasured;
}

/** Node passes its own variable on to a process unless the new environment names it. */
export const unmeasured: NodeJS.ProcessEnv = { NODE_V8_COVERAGE: undefined };

/** Creates an empty file. False: another test file has created it. */
function isCreated(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch {
    return false;
  }
}

function bareEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot'];
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Creates an empty directory. `remove` deletes it. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-app-')));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** The lines of a text, without empty ones. */
export function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
