import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Finished, Running } from '../app-cli.js';
import { END_OF_OUTPUT, type HostedCommand } from './messages.js';
import { seeIn } from './see.js';

const program = fileURLToPath(import.meta.resolve('#app/bundle/program.js'));
/** The coverage is measured in the files that the bundle is made of. */
const measuredProgram = fileURLToPath(new URL('program.js', import.meta.url));

const OUTPUTS = ['stdout', 'stderr'] as const;

const MAX_STOP_MS = 4_000;

const hosts = new Set<ChildProcess>();
const idle: ChildProcess[] = [];

process.once('beforeExit', () => {
  // They end when the channel is closed, and then write what they have measured of the coverage.
  for (const host of hosts) {
    host.ref();
    host.disconnect();
  }
});

/**
 * Starts the command in a process that stays for the next one, which saves a second of CPU or two: that is what loading the
 * program takes, and what it takes to become fast. Signals reach that process.
 */
export function startHosted(command: HostedCommand): Running {
  const host = idle.pop() ?? startHost();
  host.ref();
  const texts = { stdout: '', stderr: '' };
  let finished: Finished | null = null;
  const ended = run(host, command, texts).then((outcome) => {
    finished = { ...outcome, ...texts };
    return finished;
  });
  const text = (name: (typeof OUTPUTS)[number]) => (): string => contentOf(texts[name]);
  const kill = (signal: NodeJS.Signals = 'SIGTERM'): boolean => finished === null && host.kill(signal);
  return {
    child: {
      pid: host.pid,
      kill,
      get exitCode() {
        return finished?.code ?? null;
      },
      get signalCode() {
        return finished?.signal ?? null;
      },
    },
    stdout: text('stdout'),
    stderr: text('stderr'),
    ended,
    see: (pattern, where = 'stdout') =>
      seeIn({ outputs: () => texts, where, hasEnded: () => finished !== null, pattern }),
    stop(signal) {
      kill(signal);
      return ended;
    },
    async discard() {
      kill('SIGTERM');
      const timer = setTimeout(kill, MAX_STOP_MS, 'SIGKILL');
      await ended;
      clearTimeout(timer);
    },
  };
}

async function run(
  host: ChildProcess,
  command: HostedCommand,
  texts: Record<(typeof OUTPUTS)[number], string>,
): Promise<Pick<Finished, 'code' | 'signal'>> {
  const listeners = OUTPUTS.map((name) => {
    const stream = host[name] as Socket;
    const listener = (text: string): void => {
      texts[name] += text;
      if (OUTPUTS.every((one) => texts[one].endsWith(END_OF_OUTPUT))) host.emit('command-ended');
    };
    stream.on('data', listener).ref();
    return { stream, listener };
  });
  const end = new AbortController();
  const { signal } = end;
  const ended = Promise.all([once(host, 'command-ended', { signal }), once(host, 'message', { signal })]);
  const died = once(host, 'close', { signal });
  host.send(command);
  try {
    return await Promise.race([
      ended.then(([, [code]]) => {
        idle.push(host);
        return { code: code as number, signal: null };
      }),
      died.then(([code, by]) => ({ code, signal: by }) as Pick<Finished, 'code' | 'signal'>),
    ]);
  } finally {
    // The listeners of this command go. Their promises are settled already, or nobody waits for them.
    for (const waiting of [ended, died]) waiting.catch(() => undefined);
    end.abort();
    for (const { stream, listener } of listeners) stream.off('data', listener).unref();
    for (const name of OUTPUTS) texts[name] = contentOf(texts[name]);
    // An idle host does not keep the tests from ending.
    host.unref();
    host.channel?.unref();
  }
}

function contentOf(text: string): string {
  return text.endsWith(END_OF_OUTPUT) ? text.slice(0, -END_OF_OUTPUT.length) : text;
}

/** The coverage of one host is measured at a time: each measured process leaves a report of 3 MB to read. */
function startHost(): ChildProcess {
  const { NODE_TEST_CONTEXT: _ours, NODE_V8_COVERAGE, ...rest } = process.env;
  const measured = hosts.size === 0 ? NODE_V8_COVERAGE : undefined;
  const env = { ...rest, NODE_V8_COVERAGE: measured };
  const host = spawn(process.execPath, [measured === undefined ? program : measuredProgram], {
    cwd: '/',
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const name of OUTPUTS) host[name]?.setEncoding('utf8');
  hosts.add(host);
  host.once('exit', () => {
    hosts.delete(host);
    if (idle.includes(host)) idle.splice(idle.indexOf(host), 1);
  });
  return host;
}
