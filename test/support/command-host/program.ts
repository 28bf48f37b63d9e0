import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { reportError, runProgram } from '#app/run-program.js';
import { END_OF_OUTPUT, type HostedCommand } from './messages.js';

/**
 * Runs commands of `rollcall` one after the other in this process, each with its own folder, environment and input. A
 * command has ended when nothing that it started keeps the process alive, as if the process were its own, or when it
 * exits with 0. With another code, this process exits.
 */
const MAX_POLL_MS = 50;
/** How long what a command has left open may take to close after it has exited. */
const MAX_CLOSING_MS = 2_000;
const LONG_MS = 1_000;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

// Node opens its outputs when they are first read, and they count as things that keep it alive.
for (const output of [process.stdout, process.stderr]) output.write('');

const exitProcess = process.exit.bind(process);
let onExit: () => void = () => undefined;
process.exit = ((code) => (code === 0 ? onExit() : exitProcess(code))) as typeof process.exit;

/** How many things kept this process alive when the last command had ended. */
let resting = Number.POSITIVE_INFINITY;
const timers = recordTimers();
const ignore = (): void => undefined;
ignoreSignals();
process.on('uncaughtException', (error) => void reportError(error).then(() => exitProcess(1)));
process.on('message', (command: HostedCommand) => void answer(command));

async function answer({ args, cwd, env, input }: HostedCommand): Promise<void> {
  for (const signal of SIGNALS) process.off(signal, ignore);
  const listeners = listenersOfProcess();
  process.chdir(cwd);
  setEnvironment(env);
  const stdin = new PassThrough();
  stdin.end(Buffer.from(input, 'base64'));
  Object.defineProperty(process, 'stdin', { configurable: true, value: stdin });
  // What the last command has begun in the background, such as loading a module, would count as idle in this one.
  for (let waited = 0; activeResources() > resting && waited < MAX_CLOSING_MS; waited += 10) await pause(10);
  const before = activeResources();
  const exited = new Promise<'exited'>((resolve) => {
    onExit = () => resolve('exited');
  });
  const code = await Promise.race([runProgram(args), exited]);
  const isIdle = (): boolean => activeResources() <= before;
  for (let ms = 2; !isIdle(); ms = Math.min(ms * 1.2, MAX_POLL_MS))
    if ((await Promise.race([pause(ms), exited])) === 'exited') break;
  for (let waited = 0; !isIdle(); waited += MAX_POLL_MS) {
    if (waited > MAX_CLOSING_MS) exitProcess(0);
    await pause(MAX_POLL_MS);
  }
  resting = activeResources();
  for (const timer of timers.splice(0)) clearTimeout(timer);
  restoreListeners(listeners);
  ignoreSignals();
  process.chdir('/');
  process.stdout.write(END_OF_OUTPUT);
  process.stderr.write(END_OF_OUTPUT);
  process.send?.(code === 'exited' ? 0 : code);
}

function setEnvironment(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** How many things keep this process alive. */
function activeResources(): number {
  return process.getActiveResourcesInfo().length;
}

/** Lists the long timers that commands set. Some are to fire only if the process has not ended before. */
function recordTimers(): NodeJS.Timeout[] {
  const list: NodeJS.Timeout[] = [];
  const set = globalThis.setTimeout;
  const recording = (callback: () => void, ms = 0, ...args: []): NodeJS.Timeout => {
    const timer = set(callback, ms, ...args);
    if (ms >= LONG_MS) list.push(timer);
    return timer;
  };
  globalThis.setTimeout = Object.assign(recording, set);
  return list;
}

/** A signal may arrive when the command that it was for has just ended. */
function ignoreSignals(): void {
  for (const signal of SIGNALS) process.on(signal, ignore);
}

type Listener = (...args: unknown[]) => void;
type Listeners = ReadonlyMap<string | symbol, readonly Listener[]>;

function listenersOfProcess(): Listeners {
  return new Map(process.eventNames().map((name) => [name, process.rawListeners(name) as Listener[]]));
}

/** Brings back what was listened to. What the command does when its process exits is done now. */
function restoreListeners(before: Listeners): void {
  const present = listenersOfProcess();
  const added = (name: string | symbol): readonly Listener[] =>
    present.get(name)?.filter((listener) => before.get(name)?.includes(listener) !== true) ?? [];
  for (const listener of added('exit')) listener(0);
  for (const name of present.keys()) for (const listener of added(name)) process.off(name, listener);
  for (const [name, listeners] of before)
    for (const listener of listeners)
      if (present.get(name)?.includes(listener) !== true) process.on(name, listener);
}
