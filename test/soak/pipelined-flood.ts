import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as startRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, run, start, temporaryDirectory } from '../support/app-cli.js';
import { wrongKeyLimitVariable } from '../support/wrong-key-limit.js';

/**
 * Many connections to a real `serve` with a small heap. Each sends megabytes of requests and reads no answer; when one
 * is closed, another takes its place. The flood runs in its own process. Meanwhile a well-behaved client sends requests.
 * `node test/dist/soak/pipelined-flood.js [seconds]` is the large version.
 */
export interface PipelinedFlood {
  readonly connections: number;
  /** Bytes of requests that each connection sends, unless the server closes it. */
  readonly bytes: number;
  readonly seconds: number;
  /** Megabytes of heap that the server may have. */
  readonly heap: number;
  /** The 99th percentile of the time in which other requests must be answered. */
  readonly maxP99Ms: number;
}

export interface PipelinedFloodReport {
  /** Connections of the flood that were closed, and bytes that the server accepted from it. */
  readonly flood: { readonly closed: number; readonly bytes: number };
  readonly before: Answers;
  readonly meanwhile: Answers;
  readonly after: Answers;
  readonly isAlive: boolean;
  /** Megabytes of the server. */
  readonly memory: { readonly before: number; readonly max: number };
  /** Lines that the server logged meanwhile: those about floods, and those about other failed requests. */
  readonly lines: { readonly floods: number; readonly others: number };
  /** Connections that the lines about floods report. */
  readonly reported: number;
}

interface Answers {
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Milliseconds between two requests of the well-behaved client. */
const INTERVAL_MS = 20;
/** Lines about floods, and lines about requests that began before their connection was closed. */
const MAX_LINES_A_MINUTE = 11;
const MAX_LINES_A_CONNECTION = 5;
const LOG_WINDOW_MS = 60_000;

const accessKey = '1'.repeat(24);

export async function pipelinedFlood({
  connections,
  bytes,
  seconds,
  heap,
}: PipelinedFlood): Promise<PipelinedFloodReport> {
  const directory = temporaryDirectory();
  const cwd = directory.path;
  const organization = { kind: 'organization', id: 1, name: 'Northwind', access_key: accessKey };
  const imported = await run(['import', '-'], { cwd, input: JSON.stringify(organization) });
  if (imported.code !== 0) throw new Error(imported.stderr);
  const port = await freePort();
  const env = {
    PORT: String(port),
    ...wrongKeyLimitVariable(0),
    NODE_OPTIONS: `--max-old-space-size=${heap}`,
  };
  const server = start(['serve'], { cwd, env });
  let isAlive = true;
  void server.ended.then(() => {
    isAlive = false;
  });
  try {
    await server.see(/"msg":"Listening"/);
    const pid = server.child.pid ?? 0;
    await askUntil(port, pause(500));
    const before = await askUntil(port, pause(2000));
    const memory = memoryOf(pid);
    const watched = watch(pid);
    const loggedBefore = server.stdout().length;
    const flooding = startFlood({ port, connections, bytes, seconds });
    const meanwhile = await askUntil(port, flooding);
    const flood = await flooding;
    const max = watched.stop();
    const isStillAlive = isAlive;
    const after = isStillAlive ? await askUntil(port, pause(2000)) : noAnswers;
    const lines = linesOf(server.stdout().slice(loggedBefore));
    const floods = lines.filter(({ connections: count }) => count !== undefined);
    const others = lines.filter(({ connections: count, status }) => count === undefined && status !== 200);
    return {
      ...{ flood, before, meanwhile, after },
      isAlive: isStillAlive,
      memory: { before: memory, max },
      lines: { floods: floods.length, others: others.length },
      reported: floods.reduce((sum, { connections: count = 0 }) => sum + count, 0),
    };
  } finally {
    await server.stop('SIGKILL');
    directory.remove();
  }
}

/** The promises that the report shows to be broken; empty if all are kept. */
export function brokenPromises(
  { flood, meanwhile, after, isAlive, memory, lines, reported }: PipelinedFloodReport,
  { connections, seconds, heap, maxP99Ms }: PipelinedFlood,
): readonly string[] {
  const minutes = Math.ceil((seconds * 1000) / LOG_WINDOW_MS) + 1;
  const promises: Readonly<Record<string, boolean>> = {
    'the process keeps running': isAlive,
    'every connection of the flood is closed': flood.closed >= connections,
    'others are answered meanwhile': isAllGood(meanwhile),
    'others are answered in time meanwhile': meanwhile.p99 <= maxP99Ms,
    'others are answered afterwards': isAllGood(after),
    'memory is bounded': memory.max <= memory.before + heap,
    'lines about floods are bounded': lines.floods <= MAX_LINES_A_MINUTE * minutes,
    'other lines are bounded': lines.others <= MAX_LINES_A_CONNECTION * flood.closed,
    'the log reports floods': reported > 0,
  };
  return Object.keys(promises).filter((promise) => promises[promise] === false);
}

const noAnswers: Answers = { statuses: {}, p50: Infinity, p99: Infinity, max: Infinity };

function isAllGood({ statuses }: Answers): boolean {
  return Object.keys(statuses).join() === '200';
}

interface Line {
  readonly status?: number;
  readonly connections?: number;
}

function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));
}

/** Megabytes. */
function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Watches the process for its peak memory from now on. */
function watch(pid: number) {
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, memoryOf(pid));
  }, 100);
  return {
    stop: () => {
      clearInterval(timer);
      return max;
    },
  };
}

// ── The well-behaved client ────────────────────────────────────────────────────────────────────────────────

const PATH = '/api/v2/authenticate';

/** Sends requests at a steady pace, without waiting for the answers. */
async function askUntil(port: number, end: Promise<unknown>): Promise<Answers> {
  // Shorter than the server keeps connections: a request is lost if it is sent while the server closes its connection.
  const agent = new Agent({ keepAlive: true, timeout: 2_000 });
  const answers: Promise<{ readonly status: string; readonly elapsedMs: number }>[] = [];
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const started = performance.now();
    answers.push(
      ask(port, agent).then((status) => ({ status: String(status), elapsedMs: performance.now() - started })),
    );
    await pause(INTERVAL_MS);
  }
  const all = await Promise.all(answers);
  agent.destroy();
  const times = all.map(({ elapsedMs }) => elapsedMs).sort((one, other) => one - other);
  const statuses: Record<string, number> = {};
  for (const { status } of all) statuses[status] = (statuses[status] ?? 0) + 1;
  const quantile = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? 0;
  return { statuses, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
}

function ask(port: number, agent: Agent): Promise<number | 'failed'> {
  const body = JSON.stringify({ access_key: accessKey });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
  return new Promise((resolve) => {
    startRequest({ host: '127.0.0.1', port, agent, path: PATH, method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', () => resolve('failed'))
      .setTimeout(30_000, () => resolve('failed'))
      .end(body);
  });
}

// ── The flood, in its own process ──────────────────────────────────────────────────────────────────────────

type Flood = Pick<PipelinedFlood, 'connections' | 'bytes' | 'seconds'> & { readonly port: number };

async function startFlood({
  port,
  connections,
  bytes,
  seconds,
}: Flood): Promise<PipelinedFloodReport['flood']> {
  const args = ['flood', port, connections, bytes, seconds].map(String);
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child, 'close');
  return JSON.parse(output) as PipelinedFloodReport['flood'];
}

const KINDS: readonly string[] = [
  'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /api/v2/organizations/1/webhook HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST /api/v2/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
];

async function flood({ port, connections, bytes, seconds }: Flood): Promise<PipelinedFloodReport['flood']> {
  const until = performance.now() + seconds * 1000;
  let closed = 0;
  let accepted = 0;
  const one = async (index: number): Promise<void> => {
    const text = Buffer.from((KINDS[index % KINDS.length] ?? '').repeat(2000));
    // Each sends its requests at least once.
    do {
      accepted += await sendAll({ port, text, bytes, until: until + 10_000 });
      closed += 1;
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => one(index)));
  return { closed, bytes: accepted };
}

/** Sends until the server closes the connection, without reading answers. Returns the bytes that were accepted. */
function sendAll(options: {
  readonly port: number;
  readonly text: Buffer;
  readonly bytes: number;
  readonly until: number;
}): Promise<number> {
  const { port, text, bytes, until } = options;
  return new Promise((resolve) => {
    let written = 0;
    const socket = connect(port, '127.0.0.1', () => {
      const more = (): void => {
        while (!socket.destroyed && written < bytes) {
          written += text.length;
          if (!socket.write(text)) {
            socket.once('drain', more);
            return;
          }
        }
      };
      more();
    });
    const giveUp = setTimeout(() => socket.destroy(), Math.max(0, until - performance.now()));
    socket
      .on('error', () => undefined)
      .on('close', () => {
        clearTimeout(giveUp);
        resolve(socket.bytesWritten);
      });
  });
}

// ── As a program ─────────────────────────────────────────────────────────────────────────────────────────────

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, ...numbers] = process.argv.slice(2);
  if (what === 'flood') {
    const [port = 0, connections = 0, bytes = 0, seconds = 0] = numbers.map(Number);
    process.stdout.write(JSON.stringify(await flood({ port, connections, bytes, seconds })));
  } else {
    const seconds = Number(what ?? 25);
    const request = { connections: 150, bytes: 10_000_000, seconds, heap: 256, maxP99Ms: 250 };
    const report = await pipelinedFlood(request);
    const broken = brokenPromises(report, request);
    process.stdout.write(`${JSON.stringify({ request, report, broken }, null, 2)}\n`);
    process.exit(broken.length === 0 ? 0 : 1);
  }
}
