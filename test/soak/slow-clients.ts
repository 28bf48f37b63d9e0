import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tokenOf } from '../support/api.js';
import { temporaryDirectory } from '../support/app-cli.js';
import { memoryOf } from '../support/process-memory.js';
import { type Answers, askUntil, counted, send } from '../support/slow-clients/ordinary-requests.js';
import {
  BATCH_INTERVAL_MS,
  BATCH_SIZE,
  type Closed,
  dripAll,
  endlessBody,
  endlessHead,
  statusOf,
} from '../support/slow-clients/slow-connections.js';
import {
  accessKey,
  MAX_RUN_MS,
  ROWS,
  socketsOf,
  startTargetServer,
  type TargetServer,
  untilSockets,
  watchMemory,
} from '../support/slow-clients/target-server.js';

interface Unread {
  /** The number of exports with each status; the clients read it at the end. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The number of exports with 200 that were cut off, as they should be. */
  readonly cutOff: number;
  /** Milliseconds until the server had closed all of them; null if their clients left first. */
  readonly closedAfter: number | null;
}

const EXPORT = '/api/v2/organizations/1/export_meetings?column[]=name&column[]=meeting_description';

/** Starts exports whose clients read nothing. */
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
      const answers = await Promise.all(present.map(readRest));
      const statuses = counted(answers.map(({ status }) => status));
      return {
        statuses,
        cutOff: answers.filter(({ status, isWhole }) => status === '200' && !isWhole).length,
      };
    },
  };
}

/** Reads the rest of a connection that the server has closed. */
async function readRest(socket: Socket): Promise<{ readonly status: string; readonly isWhole: boolean }> {
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

/**
 * Many slow clients of a real `serve` at once: heads and bodies that arrive byte by byte, and exports whose clients read
 * nothing. Meanwhile other clients send requests. `node test/dist/soak/slow-clients.js [count]` is the large version.
 */
export interface SlowClients {
  /** Connections that send a head byte by byte, and as many that send a body so. */
  readonly count: number;
  /** Exports whose clients read nothing; `count` if left out. */
  readonly unread?: number;
  /** Whether to wait until the server ends the unread exports; otherwise their clients disconnect after the others. */
  readonly waitsForServer?: boolean;
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

export async function slowClients({
  count,
  unread = count,
  waitsForServer = false,
}: SlowClients): Promise<SlowClientsReport> {
  const directory = temporaryDirectory();
  const server = await startTargetServer(directory.path);
  try {
    return await attack(server, { count, unread, waitsForServer });
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
  const { count, unread: exports = count, waitsForServer = false, maxP99Ms = MAX_P99_MS } = request;
  const { before, meanwhile, after } = ordinary;
  const max = memory.before + memoryFor.all + memoryFor.each * (2 * count + exports);
  const promises: Readonly<Record<string, boolean>> = {
    'every endless head is answered 408': isOnly(heads.statuses, { 408: count }),
    'endless heads are closed after 5 s': isWithin(heads, limits.head),
    'every endless body is answered 408': isOnly(bodies.statuses, { 408: count }),
    'endless bodies are closed after 10 s': isWithin(bodies, limits.body),
    'unread exports end after 60 s':
      !waitsForServer || (unread.closedAfter ?? Infinity) <= limits.progress + limits.interval + limits.busy,
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

// ── The attack ─────────────────────────────────────────────────────────────────────────────────────────────

async function attack(
  { port, pid }: TargetServer,
  { count, unread, waitsForServer }: Required<Omit<SlowClients, 'maxP99Ms'>>,
): Promise<SlowClientsReport> {
  const idle = socketsOf(pid);
  const token = await tokenOf(`http://127.0.0.1:${port}`, accessKey);
  const before = await askUntil({ port, token, end: pause(3000) });
  await untilSockets(pid, idle);

  const peak = watchMemory(pid);
  const memory = memoryOf(pid);
  const exports = await openUnread({ port, token, count: unread });
  const started = performance.now();
  const dripped = Promise.all([
    dripAll({ port, count, text: endlessHead }),
    dripAll({ port, count, text: endlessBody }),
  ]);
  const meanwhile = await askUntil({ port, token, end: dripped });
  const [heads, bodies] = await dripped;

  if (!waitsForServer) exports.leave();
  const areGone = await untilSockets(pid, idle);
  const closedAfter = waitsForServer && areGone ? performance.now() - started : null;
  const answers = await exports.read();
  const max = peak.stop();

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

async function wholeExport(port: number, token: string): Promise<SlowClientsReport['exportAfter']> {
  const { status, text } = await send({ port, agent: new Agent(), path: EXPORT, token });
  const isWhole =
    status === 200 &&
    (JSON.parse(text) as { readonly meetings: readonly unknown[] }).meetings.length === ROWS;
  return { status, isWhole };
}

// ── As a program ─────────────────────────────────────────────────────────────────────────────────────────────

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const request = { count: Number(process.argv[2] ?? 1000), waitsForServer: true };
  const report = await slowClients(request);
  const broken = brokenPromises(report, request);
  process.stdout.write(`${JSON.stringify({ request, report, broken }, null, 2)}\n`);
  process.exit(broken.length === 0 ? 0 : 1);
}
