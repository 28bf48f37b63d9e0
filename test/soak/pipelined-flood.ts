import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as startRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, run, start, temporaryDirectory } from '../support/app-cli.js';

/**
 * Many connections, each of which sends megabytes of requests and reads no answer, against a real `serve` with a
 * small heap; where one is closed another takes its place. The flood is a process of its own, and a client that
 * behaves asks meanwhile. `node test/dist/soak/pipelined-flood.js [seconds]` is the large version.
 */
export interface PipelinedFlood {
  readonly connections: number;
  /** Bytes of requests that each connection sends, if it is let. */
  readonly bytes: number;
  readonly seconds: number;
  /** Megabytes of heap that the server may have. */
  readonly heap: number;
  /** Milliseconds within which 99 of 100 others are answered. */
  readonly slowest: number;
}

export interface PipelinedFloodReport {
  /** What the flood did: connections that were closed, and bytes that were taken from it. */
  readonly flood: { readonly closed: number; readonly bytes: number };
  readonly before: Asked;
  readonly meanwhile: Asked;
  readonly after: Asked;
  readonly isAlive: boolean;
  /** Megabytes of the server. */
  readonly memory: { readonly before: number; readonly most: number };
  /** Lines that the server logged meanwhile: about floods, and others but those of the client that behaves. */
  readonly lines: { readonly floods: number; readonly others: number };
  /** Connections that those lines tell of. */
  readonly told: number;
}

interface Asked {
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/** Milliseconds between two requests of the client that behaves. */
const INTERVAL_MS = 20;
/** Of lines about floods; and of requests that were begun before their connection was closed. */
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
    FAILED_AUTHENTICATE_LIMIT: '0',
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
    const begun = server.stdout().length;
    const flooding = startFlood({ port, connections, bytes, seconds });
    const meanwhile = await askUntil(port, flooding);
    const flood = await flooding;
    const most = watched.stop();
    const isStillAlive = isAlive;
    const after = isStillAlive ? await askUntil(port, pause(2000)) : noAnswers;
    const lines = linesOf(server.stdout().slice(begun));
    const floods = lines.filter(({ connections: count }) => count !== undefined);
    const others = lines.filter(({ connections: count, status }) => count === undefined && status !== 200);
    return {
      ...{ flood, before, meanwhile, after },
      isAlive: isStillAlive,
      memory: { before: memory, most },
      lines: { floods: floods.length, others: others.length },
      told: floods.reduce((sum, { connections: count = 0 }) => sum + count, 0),
    };
  } finally {
    await server.stop('SIGKILL');
    directory.remove();
  }
}

/** What the report shows that must not be, in sentences; none where all is well. */
export function brokenPromises(
  { flood, meanwhile, after, isAlive, memory, lines, told }: PipelinedFloodReport,
  { connections, seconds, heap, slowest }: PipelinedFlood,
): readonly string[] {
  const minutes = Math.ceil((seconds * 1000) / LOG_WINDOW_MS) + 1;
  const promises: Readonly<Record<string, boolean>> = {
    'the process lives': isAlive,
    'every connection of the flood is closed': flood.closed >= connections,
    'others are answered meanwhile': isAllGood(meanwhile),
    'others are answered in time meanwhile': meanwhile.p99 <= slowest,
    'others are answered afterwards': isAllGood(after),
    'memory is bounded': memory.most <= memory.before + heap,
    'lines about floods are bounded': lines.floods <= MAX_LINES_A_MINUTE * minutes,
    'other lines are bounded': lines.others <= MAX_LINES_A_CONNECTION * flood.closed,
    'the log tells of floods': told > 0,
  };
  return Object.keys(promises).filter((promise) => promises[promise] === false);
}

const noAnswers: Asked = { statuses: {}, p50: Infinity, p99: Infinity, most: Infinity };

function isAllGood({ statuses }: Asked): boolean {
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

/** The largest memory from now on. */
function watch(pid: number) {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(pid));
  }, 100);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

// ── The client that behaves ────────────────────────────────────────────────────────────────────────────────

const ASKED = '/api/v2/authenticate';

/** Asks at a steady pace, whether the answers come or not. */
async function askUntil(port: number, end: Promise<unknown>): Promise<Asked> {
  // Not as long as the server keeps them: what is sent while it closes one is lost.
  const agent = new Agent({ keepAlive: true, timeout: 2_000 });
  const answers: Promise<{ readonly status: string; readonly took: number }>[] = [];
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const started = performance.now();
    answers.push(
      ask(port, agent).then((status) => ({ status: String(status), took: performance.now() - started })),
    );
    await pause(INTERVAL_MS);
  }
  const all = await Promise.all(answers);
  agent.destroy();
  const times = all.map(({ took }) => took).sort((one, other) => one - other);
  const statuses: Record<string, number> = {};
  for (const { status } of all) statuses[status] = (statuses[status] ?? 0) + 1;
  const quantile = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? 0;
  return { statuses, p50: quantile(0.5), p99: quantile(0.99), most: quantile(1) };
}

function ask(port: number, agent: Agent): Promise<number | 'failed'> {
  const body = JSON.stringify({ access_key: accessKey });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
  return new Promise((resolve) => {
    startRequest({ host: '127.0.0.1', port, agent, path: ASKED, method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', () => resolve('failed'))
      .setTimeout(30_000, () => resolve('failed'))
      .end(body);
  });
}

// ── The flood, in a process of its own ─────────────────────────────────────────────────────────────────────

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
  let taken = 0;
  const one = async (index: number): Promise<void> => {
    const text = Buffer.from((KINDS[index % KINDS.length] ?? '').repeat(2000));
    // Each sends its requests once at least.
    do {
      taken += await sendAll({ port, text, bytes, until: until + 10_000 });
      closed += 1;
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => one(index)));
  return { closed, bytes: taken };
}

/** Sends until the server closes the connection; answers are not read. Gives the bytes that were taken. */
function sendAll(given: {
  readonly port: number;
  readonly text: Buffer;
  readonly bytes: number;
  readonly until: number;
}): Promise<number> {
  const { port, text, bytes, until } = given;
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

// ── On its own ─────────────────────────────────────────────────────────────────────────────────────────────

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, ...numbers] = process.argv.slice(2);
  if (what === 'flood') {
    const [port = 0, connections = 0, bytes = 0, seconds = 0] = numbers.map(Number);
    process.stdout.write(JSON.stringify(await flood({ port, connections, bytes, seconds })));
  } else {
    const seconds = Number(what ?? 25);
    const request = { connections: 150, bytes: 10_000_000, seconds, heap: 256, slowest: 250 };
    const report = await pipelinedFlood(request);
    const broken = brokenPromises(report, request);
    process.stdout.write(`${JSON.stringify({ request, report, broken }, null, 2)}\n`);
    process.exit(broken.length === 0 ? 0 : 1);
  }
}
