import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, request as startRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, type Running, run, start, temporaryDirectory } from '../support/app-cli.js';

/**
 * Many slow clients of a real `serve` at once: heads and bodies that arrive byte by byte, and exports whose clients read
 * nothing. Meanwhile other clients send requests. `node test/dist/soak/slow-clients.js [count]` is the large version.
 */
export interface SlowClients {
  /** Connections that send a head byte by byte, and as many that send a body so. */
  readonly count: number;
  /** Exports whose clients read nothing; `count` if left out. */
  readonly unread?: number;
  /** Whether to wait until the server ends the unread exports; otherwise their clients leave after the others. */
  readonly patient?: boolean;
  /** Milliseconds within which other clients are answered; 100 if left out. */
  readonly maxP99Ms?: number;
}

export interface SlowClientsReport {
  readonly heads: Closed;
  readonly bodies: Closed;
  readonly unread: Unread;
  /** The answers that other clients got. */
  readonly ordinary: {
    readonly before: Answers;
    readonly meanwhile: Answers;
    readonly after: Answers;
  };
  /** Megabytes of the server. */
  readonly memory: { readonly before: number; readonly max: number };
  /** Connections that the server had, its listening socket among them. */
  readonly sockets: { readonly before: number; readonly after: number };
  /** Whether an export is complete afterwards. */
  readonly exportAfter: { readonly status: number; readonly isWhole: boolean };
}

/** Connections that the server closed. */
export interface Closed {
  /** The number of connections that got each status before they were closed. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds from the connection to its end. */
  readonly first: number;
  readonly last: number;
}

export interface Unread {
  /** The number of exports with each status; the clients read it at the end. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The number of exports with 200 that were cut off, as they should be. */
  readonly cutOff: number;
  /** Milliseconds until the server had closed all of them; null if their clients left first. */
  readonly closedAfter: number | null;
}

/** Ordinary requests. */
export interface Answers {
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The delay of this process itself, 99th percentile: this much of the times above is not due to the server. */
  readonly late: number;
}

const accessKey = '1'.repeat(24);
/** Milliseconds between two bytes of one connection, and between two ordinary requests. */
const BYTE_INTERVAL_MS = 500;
const INTERVAL_MS = 15;
/** Connections are opened in batches with a pause between them: the attack is to hold many, not to open them. */
const BATCH_SIZE = 100;
const BATCH_INTERVAL_MS = 200;
/** The most that a phase may take, whatever the server does. */
const MAX_RUN_MS = 180_000;
/** The size of the export: more than all buffers between server and client hold. */
const ROWS = 5_000;
const ROW_BYTES = 6_000;

export async function slowClients({
  count,
  unread = count,
  patient = false,
}: SlowClients): Promise<SlowClientsReport> {
  const directory = temporaryDirectory();
  const server = await startServer(directory.path);
  try {
    return await attack(server, { count, unread, patient });
  } finally {
    await server.running.stop('SIGKILL');
    directory.remove();
  }
}

// ── What is promised ───────────────────────────────────────────────────────────────────────────────────────

/** Milliseconds: the limits of `serve`, the interval at which it checks the first two, and what a busy machine may add. */
const limits = { head: 5_000, body: 10_000, progress: 60_000, interval: 1_000, busy: 2_000 } as const;
/** Milliseconds that other clients may wait for an answer on an idle machine. */
const MAX_P99_MS = 100;
/** Megabytes that all slow clients may take together, and each of them on top. */
const memoryFor = { all: 64, each: 0.04 } as const;

/** The promises that the report shows to be broken; empty if all are kept. */
export function brokenPromises(
  { heads, bodies, unread, ordinary, memory, sockets, exportAfter }: SlowClientsReport,
  request: SlowClients,
): readonly string[] {
  const { count, unread: exports = count, patient = false, maxP99Ms = MAX_P99_MS } = request;
  const { before, meanwhile, after } = ordinary;
  const max = memory.before + memoryFor.all + memoryFor.each * (2 * count + exports);
  const promises: Readonly<Record<string, boolean>> = {
    'every endless head is answered 408': isOnly(heads.statuses, { 408: count }),
    'endless heads are closed after 5 s': isWithin(heads, limits.head),
    'every endless body is answered 408': isOnly(bodies.statuses, { 408: count }),
    'endless bodies are closed after 10 s': isWithin(bodies, limits.body),
    'unread exports end after 60 s':
      !patient || (unread.closedAfter ?? Infinity) <= limits.progress + limits.interval + limits.busy,
    'every export that has begun is cut off': unread.cutOff === (unread.statuses[200] ?? 0),
    'others are answered meanwhile': isOnly(meanwhile.statuses),
    'others are answered in time meanwhile': meanwhile.p99 <= maxP99Ms + Math.max(before.p99, meanwhile.late),
    'others are answered afterwards': isOnly(after.statuses),
    'others are answered in time afterwards': after.p99 <= maxP99Ms + Math.max(before.p99, after.late),
    'memory is bounded': memory.max <= max,
    'no connection is left': sockets.after <= sockets.before,
    'an export is whole afterwards': exportAfter.status === 200 && exportAfter.isWhole,
  };
  return Object.keys(promises).filter((promise) => promises[promise] === false);
}

/** Whether the statuses are exactly these; any number of 200 if left out. */
function isOnly(
  statuses: Readonly<Record<string, number>>,
  wanted: Readonly<Record<string, number>> = { 200: statuses[200] ?? 1 },
): boolean {
  return JSON.stringify(statuses) === JSON.stringify(wanted);
}

function isWithin({ first, last }: Closed, limit: number): boolean {
  return first >= limit - 50 && last <= limit + limits.interval + limits.busy;
}

// ── The server ─────────────────────────────────────────────────────────────────────────────────────────────

interface Server {
  readonly running: Running;
  readonly port: number;
  readonly pid: number;
}

async function startServer(cwd: string): Promise<Server> {
  const imported = await run(['import', '-'], { cwd, input: [...records()].join('\n') });
  if (imported.code !== 0) throw new Error(imported.stderr);
  const port = await freePort();
  const running = start(['serve'], { cwd, env: { PORT: String(port) } });
  await running.see(/"msg":"Listening"/);
  return { running, port, pid: running.child.pid ?? 0 };
}

function* records(): Generator<string> {
  yield JSON.stringify({ kind: 'organization', id: 1, name: 'Northwind', access_key: accessKey });
  const names = { first_name: 'Dana', last_name: 'Kim' };
  const uuid = '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0001';
  yield JSON.stringify({ kind: 'user', id: 1, uuid, email: 'dana@example.test', ...names });
  yield JSON.stringify({
    kind: 'membership',
    organization_id: 1,
    user_id: 1,
    role: 'member',
    idp_id: 'idp-0',
  });
  const meeting_description = 'long '.repeat(ROW_BYTES / 5);
  for (let id = 1; id <= ROWS; id += 1) {
    yield JSON.stringify({
      kind: 'meeting',
      id,
      organization_id: 1,
      name: `Meeting ${id}`,
      meeting_type: 'Group',
      start_time: new Date(Date.UTC(2025, 0, 1) + id * 60_000).toISOString(),
      duration: 60,
      status: 'complete',
      topic: 'Sleep',
      special_focus: '',
      host: 'Dana K.',
      location: 'zoom',
      price: null,
      max_attendees: 12,
      meeting_description,
      group_leader_id: null,
      privacy: false,
      eap: false,
      allow_meeting_donation: false,
      invitation_only: false,
      wait_list: false,
    });
  }
}

/** The number of the process's sockets, including the one that listens. */
function socketsOf(pid: number): number {
  const targets = readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith('socket:')).length;
}

/** Megabytes. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

// ── The attack ─────────────────────────────────────────────────────────────────────────────────────────────

async function attack(
  { port, pid }: Server,
  { count, unread, patient }: Required<Omit<SlowClients, 'maxP99Ms'>>,
): Promise<SlowClientsReport> {
  const idle = socketsOf(pid);
  const token = await authenticate(port);
  const before = await askUntil({ port, token, end: pause(3000) });
  await untilSockets(pid, idle);

  const watched = watch(pid);
  const memory = memoryOf(pid);
  const exports = await openUnread({ port, token, count: unread });
  const started = performance.now();
  const dripping = Promise.all([
    dripAll({ port, count, text: endlessHead }),
    dripAll({ port, count, text: endlessBody }),
  ]);
  const meanwhile = await askUntil({ port, token, end: dripping });
  const [heads, bodies] = await dripping;

  if (!patient) exports.leave();
  const areGone = await untilSockets(pid, idle);
  const closedAfter = patient && areGone ? performance.now() - started : null;
  const answers = await exports.read();
  const max = watched.stop();

  const after = await askUntil({ port, token, end: pause(3000) });
  const exportAfter = await wholeExport(port, token);
  await untilSockets(pid, idle);
  return {
    heads,
    bodies,
    unread: { ...answers, closedAfter },
    ordinary: { before, meanwhile, after },
    memory: { before: memory, max },
    sockets: { before: idle, after: socketsOf(pid) },
    exportAfter,
  };
}

/** Waits until the process has at most this number of sockets; false if it takes too long. */
async function untilSockets(pid: number, wanted: number): Promise<boolean> {
  for (const until = performance.now() + MAX_RUN_MS; performance.now() < until; await pause(100)) {
    if (socketsOf(pid) <= wanted) return true;
  }
  return false;
}

/** Watches the process for its peak memory from now on. */
function watch(pid: number) {
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, memoryOf(pid));
  }, 200);
  return {
    stop: () => {
      clearInterval(timer);
      return max;
    },
  };
}

// ── Slow heads and bodies ──────────────────────────────────────────────────────────────────────────────────

const endlessHead = 'GET /healthz HTTP/1.1\r\nHost: slow\r\nX-Slow: ';
const endlessBody =
  'POST /api/v2/authenticate HTTP/1.1\r\nHost: slow\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';

/** Sends the text and then byte after byte on many connections, until the server has closed them all. */
async function dripAll({
  port,
  count,
  text,
}: {
  readonly port: number;
  readonly count: number;
  readonly text: string;
}): Promise<Closed> {
  const ends: Promise<{ readonly status: string; readonly after: number }>[] = [];
  for (let index = 0; index < count; index += 1) {
    ends.push(drip(port, text));
    if (index % BATCH_SIZE === BATCH_SIZE - 1) await pause(BATCH_INTERVAL_MS);
  }
  const closed = await Promise.all(ends);
  const times = closed.map(({ after }) => after);
  return {
    statuses: counted(closed.map(({ status }) => status)),
    first: Math.min(...times),
    last: Math.max(...times),
  };
}

function drip(port: number, text: string): Promise<{ readonly status: string; readonly after: number }> {
  return new Promise((resolve) => {
    let answer = '';
    let opened = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const socket = connect(port, '127.0.0.1', () => {
      opened = performance.now();
      socket.write(text);
      timer = setInterval(() => socket.writable && socket.write('a'), BYTE_INTERVAL_MS);
    });
    const giveUp = setTimeout(() => socket.destroy(), MAX_RUN_MS);
    socket
      .setEncoding('latin1')
      .on('data', (chunk) => {
        answer += chunk;
      })
      // The server answers a byte after the end with a reset.
      .on('error', () => undefined)
      .on('close', () => {
        clearInterval(timer);
        clearTimeout(giveUp);
        resolve({ status: statusOf(answer), after: performance.now() - opened });
      });
  });
}

/** `none` if there was no answer. */
function statusOf(answer: string): string {
  return /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 'none';
}

function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

// ── Unread exports ─────────────────────────────────────────────────────────────────────────────────────────

const EXPORT = '/api/v2/organizations/1/export_meetings?column[]=name&column[]=meeting_description';

async function openUnread({
  port,
  token,
  count,
}: {
  readonly port: number;
  readonly token: string;
  readonly count: number;
}) {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined).pause();
    socket.write(`GET ${EXPORT} HTTP/1.1\r\nHost: slow\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    sockets.push(socket);
    if (index % BATCH_SIZE === BATCH_SIZE - 1) await pause(BATCH_INTERVAL_MS);
  }
  return {
    leave: () => {
      for (const socket of sockets) socket.destroy();
    },
    /** Reads the answers to their ends, except those of clients that have left. */
    read: async (): Promise<Omit<Unread, 'closedAfter'>> => {
      const present = sockets.filter((socket) => !socket.destroyed);
      const answers = await Promise.all(present.map(rest));
      const statuses = counted(answers.map(({ status }) => status));
      return {
        statuses,
        cutOff: answers.filter(({ status, isWhole }) => status === '200' && !isWhole).length,
      };
    },
  };
}

/** Reads the rest of a connection that the server has closed. */
async function rest(socket: Socket): Promise<{ readonly status: string; readonly isWhole: boolean }> {
  let first = '';
  let last = '';
  const giveUp = setTimeout(() => socket.destroy(), MAX_RUN_MS);
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    first = (first + chunk).slice(0, 100);
    last = (last + chunk).slice(-7);
  });
  await new Promise((resolve) => socket.once('close', resolve).resume());
  clearTimeout(giveUp);
  return { status: statusOf(first), isWhole: last.endsWith('0\r\n\r\n') };
}

// ── Ordinary requests ──────────────────────────────────────────────────────────────────────────────────────

interface Sent {
  readonly port: number;
  readonly agent: Agent;
  readonly path: string;
  readonly token?: string;
  readonly json?: unknown;
}

function send({
  port,
  agent,
  path,
  token,
  json,
}: Sent): Promise<{ readonly status: number; readonly text: string }> {
  const body = json === undefined ? '' : JSON.stringify(json);
  const headers = {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(json === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length }),
  };
  const method = json === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    startRequest({ host: '127.0.0.1', port, agent, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
    })
      .on('error', reject)
      .setTimeout(MAX_RUN_MS, () => reject(new Error('no answer')))
      .end(body);
  });
}

async function authenticate(port: number): Promise<string> {
  const agent = new Agent();
  const json = { access_key: accessKey };
  const { text } = await send({ port, agent, path: '/api/v2/authenticate', json });
  return (JSON.parse(text) as { readonly token: string }).token;
}

/** Sends requests at a steady pace, without waiting for the answers. */
async function askUntil({
  port,
  token,
  end,
}: {
  readonly port: number;
  readonly token: string;
  readonly end: Promise<unknown>;
}): Promise<Answers> {
  const agent = new Agent({ keepAlive: true });
  const answers: Promise<{ readonly status: string; readonly elapsedMs: number }>[] = [];
  const late: number[] = [];
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  for (let turn = 0; !isOver; turn += 1) {
    const request =
      turn % 2 === 0
        ? { path: '/api/v2/authenticate', json: { access_key: accessKey } }
        : { path: '/api/v2/organizations/1/members/idp-0/upcoming_meetings', token };
    const started = performance.now();
    const answer = send({ port, agent, ...request }).then(
      ({ status }) => String(status),
      () => 'failed',
    );
    answers.push(answer.then((status) => ({ status, elapsedMs: performance.now() - started })));
    await pause(INTERVAL_MS);
    late.push(performance.now() - started - INTERVAL_MS);
  }
  const all = await Promise.all(answers);
  agent.destroy();
  const times = all.map(({ elapsedMs }) => elapsedMs);
  return {
    statuses: counted(all.map(({ status }) => status)),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    max: quantile(times, 1),
    late: quantile(late, 0.99),
  };
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

async function wholeExport(port: number, token: string): Promise<SlowClientsReport['exportAfter']> {
  const { status, text } = await send({ port, agent: new Agent(), path: EXPORT, token });
  const isWhole =
    status === 200 &&
    (JSON.parse(text) as { readonly meetings: readonly unknown[] }).meetings.length === ROWS;
  return { status, isWhole };
}

// ── As a program ─────────────────────────────────────────────────────────────────────────────────────────────

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const request = { count: Number(process.argv[2] ?? 1000), patient: true };
  const report = await slowClients(request);
  const broken = brokenPromises(report, request);
  process.stdout.write(`${JSON.stringify({ request, report, broken }, null, 2)}\n`);
  process.exit(broken.length === 0 ? 0 : 1);
}
