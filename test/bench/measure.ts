import { createHash } from 'node:crypto';
import { request as startRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Subject } from './servers.js';

/** A request, the same for every subject. */
export interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly json?: unknown;
  /** Whether the answer is to be packed. */
  readonly gzip?: boolean;
}

/** What one subject did in one round. */
export interface Round {
  readonly requests: number;
  readonly bytes: number;
  /** How long the round took, and each of its answers; milliseconds. */
  readonly elapsedMs: number;
  readonly latencies: readonly number[];
  /** Milliseconds until the first byte of each body; none where that was not looked at. */
  readonly firstBytes: readonly number[];
  /** Milliseconds of the server's CPU. */
  readonly cpu: number;
}

export interface Measured {
  readonly subject: Subject;
  readonly rounds: readonly Round[];
  /** The largest memory in megabytes. */
  readonly peak: number;
}

const REQUEST_TIMEOUT_MS = 120_000;

// ── One answer, read whole ─────────────────────────────────────────────────────────────────────────────────

export interface Read {
  readonly body: Buffer;
  /** Milliseconds. */
  readonly firstByte: number;
  readonly elapsedMs: number;
}

/** On a connection of its own: one that was kept is gone when this process has looked at a large answer for long. */
const agent = false;

/** Sends a request and reads the answer, which must be 200; with `untilFirstByte` it leaves then. */
export function read(
  { port }: Subject,
  asked: Asked,
  {
    untilFirstByte = false,
    keep = true,
  }: { readonly untilFirstByte?: boolean; readonly keep?: boolean } = {},
): Promise<Read> {
  const body = bodyOf(asked);
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let firstByte = 0;
    const chunks: Buffer[] = [];
    const outgoing = startRequest(
      { host: '127.0.0.1', port, agent, method: asked.method, path: asked.path, headers: headersOf(asked) },
      (response) => {
        if (response.statusCode !== 200) return reject(new Error(`${asked.path}: ${response.statusCode}`));
        const finish = (): void =>
          resolve({ body: Buffer.concat(chunks), firstByte, elapsedMs: performance.now() - started });
        response
          .on('data', (chunk: Buffer) => {
            if (firstByte === 0) firstByte = performance.now() - started;
            if (keep) chunks.push(chunk);
            if (!untilFirstByte) return;
            outgoing.destroy();
            finish();
          })
          .on('end', finish)
          .on('error', reject);
      },
    );
    outgoing
      .on('error', reject)
      .setTimeout(REQUEST_TIMEOUT_MS, () => outgoing.destroy(new Error('no answer')));
    outgoing.end(body);
  });
}

function bodyOf({ json }: Asked): string | undefined {
  return json === undefined ? undefined : JSON.stringify(json);
}

function headersOf(asked: Asked): Record<string, string> {
  const body = bodyOf(asked);
  return {
    ...(asked.gzip === true ? { 'Accept-Encoding': 'gzip' } : {}),
    ...(asked.token === undefined ? {} : { Authorization: `Bearer ${asked.token}` }),
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
  };
}

/** Throws unless all subjects give the same parsed answer; answers a few digits of its hash. */
export async function checkSameAnswer(
  subjects: readonly Subject[],
  asked: Asked,
  parse: (body: Buffer) => unknown = (body) => JSON.parse(body.toString()),
): Promise<string> {
  const hashes = new Map<string, string>();
  for (const subject of subjects) {
    const { body } = await read(subject, asked);
    const canonical = JSON.stringify(parse(body));
    hashes.set(subject.name, createHash('sha256').update(canonical).digest('hex').slice(0, 12));
  }
  const [first = ''] = hashes.values();
  if ([...hashes.values()].every((hash) => hash === first)) return first;
  throw new Error(`${asked.path}: the answers differ: ${JSON.stringify(Object.fromEntries(hashes))}`);
}

// ── Rounds ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Lets the subjects take turns, after one round each that does not count. */
export async function alternate(
  subjects: readonly Subject[],
  rounds: number,
  once: (subject: Subject) => Promise<Omit<Round, 'cpu'>>,
): Promise<readonly Measured[]> {
  for (const subject of subjects) {
    await once(subject);
    subject.resetPeak();
  }
  const all = subjects.map((subject) => ({ subject, rounds: [] as Round[] }));
  for (let round = 0; round < rounds; round += 1) {
    // Whoever begins has an advantage or a disadvantage: they take turns in that as well.
    for (const one of round % 2 === 0 ? all : [...all].reverse()) {
      const before = one.subject.cpu();
      const done = await once(one.subject);
      one.rounds.push({ ...done, cpu: one.subject.cpu() - before });
    }
  }
  return all.map((one) => ({ ...one, peak: one.subject.peak() }));
}

/** One large answer. */
export async function readOnce(subject: Subject, asked: Asked): Promise<Omit<Round, 'cpu'>> {
  let bytes = 0;
  const { firstByte, elapsedMs } = await readCounting(subject, asked, (length) => {
    bytes += length;
  });
  return { requests: 1, bytes, elapsedMs, latencies: [elapsedMs], firstBytes: [firstByte] };
}

/** How many bytes there were until the moment, at which the reader leaves; a time of `performance.now()`. */
export async function readUntil(subject: Subject, asked: Asked, until: number): Promise<number> {
  let bytes = 0;
  await readCounting(subject, asked, (length, socket) => {
    bytes += length;
    if (performance.now() > until) socket.destroy();
  });
  return bytes;
}

/** Reads so fast, leaves after a while, and says how many bytes there were. */
export async function readSlowly(
  subject: Subject,
  asked: Asked,
  { milliseconds, bytesASecond }: { readonly milliseconds: number; readonly bytesASecond: number },
): Promise<number> {
  let bytes = 0;
  const started = performance.now();
  await readCounting(subject, asked, (length, socket) => {
    bytes += length;
    const now = performance.now() - started;
    if (now > milliseconds) socket.destroy();
    const early = (bytes / bytesASecond) * 1000 - now;
    if (early <= 0) return;
    socket.pause();
    setTimeout(() => socket.resume(), early);
  });
  return bytes;
}

/** What one read of a socket gives at the most. */
const PIECE = 262_144;
const contentLength = /\r\ncontent-length: (\d+)/i;
/** Of an answer in chunks. */
const END = Buffer.from('\r\n0\r\n\r\n');

/**
 * Ends with the answer, which must be 200 and whole, or when `count` has destroyed the socket. By hand and into
 * the same memory each time: what reads a million rows shares its core with PostgreSQL and with those who wait
 * meanwhile. The bytes of the chunks' own lengths are counted as well.
 */
async function readCounting(
  { port }: Subject,
  asked: Asked,
  count: (length: number, socket: Socket) => void,
): Promise<Pick<Read, 'firstByte' | 'elapsedMs'>> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let head = '';
    let firstByte = 0;
    let bytes = 0;
    let tail: Uint8Array = Buffer.alloc(0);
    const body = (piece: Uint8Array): void => {
      if (piece.length === 0) return;
      if (firstByte === 0) firstByte = performance.now() - started;
      bytes += piece.length;
      tail = Buffer.concat([tail, piece.subarray(-END.length)]).subarray(-END.length);
      count(piece.length, socket);
    };
    const beginning = (piece: Uint8Array): void => {
      const before = head.length;
      head += Buffer.from(piece).toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!head.startsWith('HTTP/1.1 200 ')) reject(new Error(`${asked.path}: ${head.slice(0, 40)}`));
      body(piece.subarray(end + 4 - before));
      head = head.slice(0, end + 4);
    };
    const callback = (length: number, memory: Uint8Array): boolean => {
      const piece = memory.subarray(0, length);
      if (head.endsWith('\r\n\r\n')) body(piece);
      else beginning(piece);
      return true;
    };
    const socket = connect({
      ...{ port, host: '127.0.0.1' },
      onread: { buffer: Buffer.allocUnsafe(PIECE), callback },
    })
      .setNoDelay(true)
      .setTimeout(REQUEST_TIMEOUT_MS, () => reject(new Error('no answer')))
      .on('error', reject)
      .on('end', () => {
        const [, length] = contentLength.exec(head) ?? [];
        const isWhole = length === undefined ? END.equals(tail) : bytes === Number(length);
        if (!isWhole) reject(new Error('the answer was cut off'));
      })
      .on('close', () => resolve({ firstByte, elapsedMs: performance.now() - started }));
    socket.write(requestText(asked, { Connection: 'close' }));
  });
}

// ── Many small answers ─────────────────────────────────────────────────────────────────────────────────────

/** Connections at once: enough that the server always has something to do. */
const CONNECTIONS = 8;

/**
 * Asks the same as fast as the answers come, on connections that are kept. The client is written by hand:
 * node:http takes more time for a request than the servers that are measured.
 */
export async function hammer(
  { port }: Subject,
  asked: Asked,
  { milliseconds }: { readonly milliseconds: number },
): Promise<Omit<Round, 'cpu'>> {
  const bytes = Buffer.from(requestText(asked));
  const latencies: number[] = [];
  let received = 0;
  const started = performance.now();
  const until = started + milliseconds;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      keepAsking(port, bytes, until, (latency, length) => {
        latencies.push(latency);
        received += length;
      }),
    ),
  );
  const elapsedMs = performance.now() - started;
  return { requests: latencies.length, bytes: received, elapsedMs, latencies, firstBytes: [] };
}

/** As it goes over the wire. */
export function requestText(asked: Asked, more: Readonly<Record<string, string>> = {}): string {
  const all = Object.entries({ ...headersOf(asked), ...more });
  const headers = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${asked.method} ${asked.path} HTTP/1.1\r\nHost: bench\r\n${headers.join('')}\r\n${bodyOf(asked) ?? ''}`;
}

function keepAsking(
  port: number,
  request: Buffer,
  until: number,
  answered: (latency: number, bytes: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let missing = 0;
    let length = 0;
    const ask = (socket: Socket): void => {
      sentAt = performance.now();
      missing = -1;
      length = 0;
      socket.write(request);
    };
    const socket = connect(port, '127.0.0.1', () => ask(socket))
      .setNoDelay(true)
      .on('error', reject)
      .setTimeout(REQUEST_TIMEOUT_MS, () => socket.destroy(new Error('no answer')))
      .on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (missing === -1) missing = wholeLength(chunk);
        missing -= chunk.length;
        if (missing > 0) return;
        const now = performance.now();
        answered(now - sentAt, length);
        if (now < until) return ask(socket);
        socket.end();
        resolve();
      });
  });
}

/** How long an answer is with its head, which must be 200 and in the first piece. */
function wholeLength(piece: Buffer): number {
  const end = piece.indexOf('\r\n\r\n');
  const head = piece.toString('latin1', 0, end);
  const [, length] = contentLength.exec(head) ?? [];
  if (end < 0 || length === undefined || !head.startsWith('HTTP/1.1 200 '))
    throw new Error(`not the answer that was expected: ${head.slice(0, 200)}`);
  return end + 4 + Number(length);
}

// ── Figures ────────────────────────────────────────────────────────────────────────────────────────────────

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** Of nothing: NaN. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/** The median of what the product makes of each round, as a part of what the floor makes of it. */
export function medianRatio(product: Measured, floor: Measured, figure: (round: Round) => number): number {
  return median(
    product.rounds.flatMap((round, index) => {
      const other = floor.rounds[index];
      return other === undefined ? [] : [figure(round) / figure(other)];
    }),
  );
}

/** Answers a second, or megabytes. */
export const rates = {
  requests: ({ requests, elapsedMs }: Round): number => requests / (elapsedMs / 1000),
  megabytes: ({ bytes, elapsedMs }: Round): number => bytes / 1e6 / (elapsedMs / 1000),
} as const;

export function cpuPerRequest({ cpu, requests }: Round): number {
  return cpu / requests;
}
