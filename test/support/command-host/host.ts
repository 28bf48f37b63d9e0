import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Finished } from '../app-cli.js';
import { END_OF_OUTPUT, type HostedCommand } from './messages.js';

const program = fileURLToPath(new URL('program.js', import.meta.url));

const OUTPUTS = ['stdout', 'stderr'] as const;

let host: ChildProcess | null = null;
let isBusy = false;

/**
 * Runs the command in a process that stays for the next one, which saves half a second of CPU: that is what loading the
 * program takes. Null if the process is busy: commands that run at the same time need processes of their own.
 */
export function runHosted(command: HostedCommand, maxMs: number): Promise<Finished> | null {
  if (isBusy) return null;
  isBusy = true;
  return runOn(livingHost(), command, maxMs).finally(() => {
    isBusy = false;
  });
}

async function runOn(child: ChildProcess, command: HostedCommand, maxMs: number): Promise<Finished> {
  const texts = { stdout: '', stderr: '' };
  const streams = OUTPUTS.map((name) => ({ name, stream: child[name] as Socket }));
  const timer = setTimeout(() => child.kill('SIGKILL'), maxMs);
  const listeners = streams.map(({ name, stream }) => {
    const listener = (text: string): void => {
      texts[name] += text;
      if (OUTPUTS.every((one) => texts[one].endsWith(END_OF_OUTPUT))) child.emit('command-ended');
    };
    stream.on('data', listener).ref();
    return { stream, listener };
  });
  child.ref();
  const end = new AbortController();
  const { signal } = end;
  const ended = Promise.all([once(child, 'command-ended', { signal }), once(child, 'message', { signal })]);
  const died = once(child, 'close', { signal });
  child.send(command);
  try {
    const outcome = await Promise.race([
      ended.then(([, [code]]) => ({ code: code as number, signal: null })),
      died.then(([code, by]) => ({ code, signal: by }) as Pick<Finished, 'code' | 'signal'>),
    ]);
    return { ...outcome, stdout: contentOf(texts.stdout), stderr: contentOf(texts.stderr) };
  } finally {
    clearTimeout(timer);
    // The listeners of this command go. Their promises are settled already, or nobody waits for them.
    for (const waiting of [ended, died]) waiting.catch(() => undefined);
    end.abort();
    for (const { stream, listener } of listeners) stream.off('data', listener).unref();
    release(child);
  }
}

function contentOf(text: string): string {
  return text.endsWith(END_OF_OUTPUT) ? text.slice(0, -END_OF_OUTPUT.length) : text;
}

function livingHost(): ChildProcess {
  if (host !== null) return host;
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env;
  const child = spawn(process.execPath, [program], {
    cwd: '/',
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const name of OUTPUTS) child[name]?.setEncoding('utf8');
  child.once('exit', () => {
    if (host === child) host = null;
  });
  // It ends when the channel is closed, and then writes what it has measured of the coverage.
  process.once('beforeExit', () => {
    if (host !== child) return;
    child.ref();
    child.disconnect();
  });
  host = child;
  return child;
}

/** An idle host does not keep the tests from ending. */
function release(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
