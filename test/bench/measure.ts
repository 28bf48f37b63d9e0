import { createHash } from 'node:crypto';
import { request as startRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { isSmall } from './data.js';
import type { Subject } from './servers.js';

/** A request, the same for every subject. */
export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly json?: unknown;
  /** Whether to accept a compressed answer. */
  readonly gzip?: boolean;
}

/** What one subject did in one round. */
export interface Round {
  readonly requests: number;
  readonly bytes: number;
  /** Milliseconds of the whole round, and of each answer. */
  readonly elapsedMs: number;
  readonly latencies: readonly number[];
  /** Milliseconds until the first byte of each body; empty if not measured. */
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

// ── One complete answer ────────────────────────────────────────────────────────────────────────────────────

export interface Read {
  readonly body: Buffer;
  /** Milliseconds. */
  readonly firstByte: number;
  readonly elapsedMs: number;
}

/** A new connection each time: while this process handles a large answer, a server may close a kept one. */
const agent = false;

/** Sends a request and reads the answer, which must be 200. With `untilFirstByte`, closes the connection at that byte. */
export function read(
  { port }: Subject,
  request: BenchRequest,
  {
    untilFirstByte = false,
    keep = true,
  }: { readonly untilFirstByte?: boolean; readonly keep?: boolean } = {},
): Promise<Read> {
  const body = bodyOf(request);
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let firstByte = 0;
    const chunks: Buffer[] = [];
    const outgoing = startRequest(
      {
        host: '127.0.0.1',
        port,
        agent,
        method: request.method,
        path: request.path,
        headers: headersOf(request),
      },
      (response) => {
        if (response.statusCode !== 200) return reject(new Error(`${request.path}: ${response.statusCode}`));
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

function bodyOf({ json }: BenchRequest): string | undefined {
  return json === undefined ? undefined : JSON.stringify(json);
}

function headersOf(request: BenchRequest): Record<string, string> {
  const body = bodyOf(request);
  return {
    ...(request.gzip === true ? { 'Accept-Encoding': 'gzip' } : {}),
    ...(request.token === undefined ? {} : { Authorization: `Bearer ${request.token}` }),
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
  };
}

/** The hashes of answers that were the same, by the ports of the subjects and the request. */
const sameAnswers = new Map<string, string>();

/**
 * Throws unless all subjects give the same parsed answer. Returns the first digits of its hash. Compares the answers of
 * one request once, because no measurement changes the data that another one reads.
 */
export async function checkSameAnswer(
  subjects: readonly Subject[],
  request: BenchRequest,
  parse: (body: Buffer) => unknown = (body) => JSON.parse(body.toString()),
): Promise<string> {
  const id = JSON.stringify([subjects.map(({ port }) => port), request]);
  const known = sameAnswers.get(id) ?? (await sameAnswer(subjects, request, parse));
  sameAnswers.set(id, known);
  return known;
}

async function sameAnswer(
  subjects: readonly Subject[],
  request: BenchRequest,
  parse: (body: Buffer) => unknown,
): Promise<string> {
  const hashes = new Map<string, string>();
  for (const subject of subjects) {
    const { body } = await read(subject, request);
    const canonical = JSON.stringify(parse(body));
    hashes.set(subject.name, createHash('sha256').update(canonical).digest('hex').slice(0, 12));
  }
  const [first = ''] = hashes.values();
  if ([...hashes.values()].every((hash) => hash === first)) return first;
  throw new Error(`${request.path}: the answers differ: ${JSON.stringify(Object.fromEntries(hashes))}`);
}

// ── Rounds ─────────────────────────────────────────────────────────────────────────────────────────────────

/** How many times as many rounds there are while it is not clear whether a goal is met. */
const MORE_ROUNDS = 3;

/**
 * Measures the subjects in turn, after one round each that does not count. Goes on while `isClear` says no, up to three times
 * as long. With `--small`, two rounds are enough.
 */
export async function alternate(
  subjects: readonly Subject[],
  rounds: number,
  once: (subject: Subject) => Promise<Omit<Round, 'cpu'>>,
  isClear: (measured: readonly Pick<Measured, 'rounds'>[]) => boolean = () => true,
): Promise<readonly Measured[]> {
  for (const subject of subjects) {
    await once(subject);
    subject.resetPeak();
  }
  const all = subjects.map((subject) => ({ subject, rounds: [] as Round[] }));
  const goesOn = (done: number): boolean =>
    isSmall ? done < 2 : done < rounds || (done < MORE_ROUNDS * rounds && !isClear(all));
  for (let round = 0; goesOn(round); round += 1) {
    // Being first can be an advantage or a disadvantage, so the order alternates.
    for (const one of round % 2 === 0 ? all : [...all].reverse()) {
      const before = one.subject.cpu();
      const done = await once(one.subject);
      one.rounds.push({ ...done, cpu: one.subject.cpu() - before });
    }
  }
  return all.map((one) => ({ ...one, peak: one.subject.peak() }));
}

/** Reads one large answer. */
export async function readOnce(subject: Subject, request: BenchRequest): Promise<Omit<Round, 'cpu'>> {
  let bytes = 0;
  const { firstByte, elapsedMs } = await readCounting(subject, request, (length) => {
    bytes += length;
  });
  return { requests: 1, bytes, elapsedMs, latencies: [elapsedMs], firstBytes: [firstByte] };
}

/** Reads until `until`, a time of `performance.now()`, and then leaves. Returns the number of bytes. */
export async function readUntil(subject: Subject, request: BenchRequest, until: number): Promise<number> {
  let bytes = 0;
  await readCounting(subject, request, (length, socket) => {
    bytes += length;
    if (performance.now() > until) socket.destroy();
  });
  return bytes;
}

/** Reads at this speed for a while, and then leaves. Returns the number of bytes. */
export async function readSlowly(
  subject: Subject,
  request: BenchRequest,
  { milliseconds, bytesASecond }: { readonly milliseconds: number; readonly bytesASecond: number },
): Promise<number> {
  let bytes = 0;
  const started = performance.now();
  await readCounting(subject, request, (length, socket) => {
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

const MAX_READ_BYTES = 262_144;
const contentLength = /\r\ncontent-length: (\d+)/i;
/** The end of a chunked answer. */
const END = Buffer.from('\r\n0\r\n\r\n');

/**
 * Reads until the end of the answer, which must be 200 and complete, or until `count` destroys the socket. It parses the
 * bytes itself, and always reads into the same memory, because it shares its core with PostgreSQL and with the other
 * clients. The count includes the lengths of the chunks.
 */
async function readCounting(
  { port }: Subject,
  request: BenchRequest,
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
      if (!head.startsWith('HTTP/1.1 200 ')) reject(new Error(`${request.path}: ${head.slice(0, 40)}`));
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
      onread: { buffer: Buffer.allocUnsafe(MAX_READ_BYTES), callback },
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
    socket.write(requestText(request, { Connection: 'close' }));
  });
}

// ── Many small answers ─────────────────────────────────────────────────────────────────────────────────────

/** The number of connections: enough to keep the server busy. */
const CONNECTIONS = 8;

/**
 * Sends the requests in turn, as fast as the answers arrive, on connections that are kept. It does not use node:http,
 * which takes more time for a request than the servers that are measured.
 */
export async function hammer(
  { port }: Subject,
  requests: readonly BenchRequest[],
  { milliseconds }: { readonly milliseconds: number },
): Promise<Omit<Round, 'cpu'>> {
  const all = requests.map((request) => Buffer.from(requestText(request)));
  let turn = 0;
  const next = (): Buffer => all[turn++ % all.length] ?? Buffer.alloc(0);
  const latencies: number[] = [];
  let received = 0;
  const started = performance.now();
  const until = started + milliseconds;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      keepAsking(port, next, until, (latency, length) => {
        latencies.push(latency);
        received += length;
      }),
    ),
  );
  const elapsedMs = performance.now() - started;
  return { requests: latencies.length, bytes: received, elapsedMs, latencies, firstBytes: [] };
}

/** The request as it is sent. */
export function requestText(request: BenchRequest, more: Readonly<Record<string, string>> = {}): string {
  const all = Object.entries({ ...headersOf(request), ...more });
  const headers = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${request.method} ${request.path} HTTP/1.1\r\nHost: bench\r\n${headers.join('')}\r\n${bodyOf(request) ?? ''}`;
}

function keepAsking(
  port: number,
  next: () => Buffer,
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
      socket.write(next());
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

/** The length of an answer including its head, which must be 200 and in the first piece. */
function wholeLength(piece: Buffer): number {
  const end = piece.indexOf('\r\n\r\n');
  const head = piece.toString('latin1', 0, end);
  const [, length] = contentLength.exec(head) ?? [];
  if (end < 0 || length === undefined || !head.startsWith('HTTP/1.1 200 '))
    throw new Error(`an unexpected answer: ${head.slice(0, 200)}`);
  return end + 4 + Number(length);
}

// ── Figures ────────────────────────────────────────────────────────────────────────────────────────────────

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** NaN if there are no numbers. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

type Rounds = Pick<Measured, 'rounds'>;

/** The median over all rounds of the product's figure divided by the floor's. */
export function medianRatio(product: Rounds, floor: Rounds, figure: (round: Round) => number): number {
  return median(ratios(product, floor, figure));
}

/** The product's figure divided by the floor's, for each round. */
export function ratios(product: Rounds, floor: Rounds, figure: (round: Round) => number): readonly number[] {
  return product.rounds.flatMap((round, index) => {
    const other = floor.rounds[index];
    return other === undefined ? [] : [figure(round) / figure(other)];
  });
}

/** Half of the width of the 95 % interval of a median, in places of the sorted numbers, divided by the root of their count. */
const INTERVAL = 0.98;

/**
 * Whether the 95 % interval of the median lies on one side of the goal. More rounds are needed while it does not, whichever
 * side the median is on. As it is asked after each round, a share that is exactly at its goal is called clear in 12 % of runs.
 */
export function isClearOf(goal: number, numbers: readonly number[]): boolean {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const half = INTERVAL * Math.sqrt(sorted.length);
  const lowest = sorted[Math.max(0, Math.floor(middle - half))] ?? Number.NaN;
  const highest = sorted[Math.min(sorted.length - 1, Math.ceil(middle + half))] ?? Number.NaN;
  return lowest >= goal || highest < goal;
}

/**
 * The times of runs without the start of the program, which is the median of its starts. NaN for all if a run was no
 * longer than a start: then the machine was too busy to tell them apart.
 */
export function afterStart(times: readonly number[], starts: readonly number[]): readonly number[] {
  const start = median(starts);
  const rest = times.map((time) => time - start);
  return rest.every((time) => time > 0) ? rest : rest.map(() => Number.NaN);
}

/** Answers or megabytes a second. */
export const rates = {
  requests: ({ requests, elapsedMs }: Round): number => requests / (elapsedMs / 1000),
  megabytes: ({ bytes, elapsedMs }: Round): number => bytes / 1e6 / (elapsedMs / 1000),
} as const;

export function cpuPerRequest({ cpu, requests }: Round): number {
  return cpu / requests;
}
