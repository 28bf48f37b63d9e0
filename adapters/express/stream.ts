import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { writeEncoded, writeHead } from './answer.js';
import { countUnread } from './answer-limits.js';
import { type Compressor, compress, createCompressor, wantsGzip } from './gzip.js';
import { localsOf } from './locals.js';

/** An answer that is too large for the memory: a text, chunks, and a text. */
export interface Streamed {
  readonly before: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly after: string;
  /** Whether the answer is small enough to be sent in one piece, with its length. */
  readonly isSmall: boolean;
  /** The number of the next page; null: there is none. */
  readonly nextPage?: number | null;
  /** The cursor of the next page; null or left out: there is none. */
  readonly next?: string | null;
  /** The media type of an answer that is not JSON; the client has asked for it with `Accept`. */
  readonly contentType?: string | undefined;
  /** Writes the head of a file instead of that of an answer. A file is not compressed, and not small. */
  readonly writeHead?: () => void;
}

export function isStreamed(answer: object): answer is Streamed {
  return 'chunks' in answer;
}

interface EncodedItems {
  /** As JSON. */
  readonly items: readonly string[];
  readonly next: string | null;
  readonly hasMore: boolean;
}

/** A page of a list whose items are encoded already. */
export function encodedPage(name: string, { items, next, hasMore }: EncodedItems): Streamed {
  return {
    before: `{"success":true,"${name}":[`,
    chunks: chunkOf(items.join(',')),
    after: `],"next":${JSON.stringify(next)},"has_more":${hasMore}}`,
    isSmall: true,
    next: hasMore ? next : null,
  };
}

async function* chunkOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** A file for download, with its own head. */
export type SentFile = Required<Omit<Streamed, 'isSmall' | 'nextPage' | 'next' | 'contentType'>>;

/** Limits for slow readers: while a client reads, its export occupies a database connection (decision 150). */
export interface Pace {
  /** The maximum time in which a client reads nothing. */
  readonly stallMs: number;
  /** A client that reads more slowly uses up `stallMs` gradually, and gets it back by reading faster. */
  readonly minBytesPerSecond: number;
  /** The maximum time for the whole answer. */
  readonly maxMs: number;
}

const PACE: Pace = { stallMs: 60_000, minBytesPerSecond: 10_240, maxMs: 3_600_000 };

/** Smaller answers are not compressed: that would save less than one network packet. */
const MIN_COMPRESSED_BYTES = 1_400;

/** Larger answers are sent in parts: copies of pages with long texts would make the garbage collector run often. */
const MAX_COPIED_BYTES = 131_072;

/** Uncompressed answers have this header too: a cache must not use an answer for a different `Accept-Encoding`. */
const varies = ['Vary', 'Accept-Encoding'];
const variesWithType = ['Vary', 'Accept, Accept-Encoding'];
const isGzip = ['Content-Encoding', 'gzip'];

/** Sends a file in the same way as an export. */
export function sendFile(request: IncomingMessage, response: ServerResponse, file: SentFile): Promise<void> {
  return writeStreamed(request, response, { ...file, isSmall: false });
}

/**
 * Sends the answer as fast as the client reads, compressed if the client asks for it. `more` are further headers, as
 * alternating names and values. Nothing is sent before the first chunk, so that an earlier failure can still be
 * answered; a later failure is thrown and must end the connection. When the client leaves, the chunks are released at
 * once.
 */
export async function writeStreamed(
  request: IncomingMessage,
  response: ServerResponse,
  { before, chunks, after, isSmall, contentType, writeHead: begin }: Streamed,
  { more = [], pace = {} }: WriteOptions = {},
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const release = async (): Promise<void> => {
    // A failure here changes nothing: the answer has ended, or the client has left.
    await Promise.resolve(iterator.return?.()).catch(() => undefined);
  };
  response.once('close', release);
  try {
    const first = await iterator.next();
    if (response.destroyed) return;
    const isCompressed = begin === undefined && wantsGzip(request);
    const begun = { before, first, iterator, after, contentType, isCompressed, more };
    if (isSmall) return await writeCollected(response, begun);
    if (begin === undefined) writeHead(response, 200, headersOf(begun), contentType);
    else begin();
    // The length of the body is not known.
    if (request.method === 'HEAD') response.end();
    else await writeChunks(response, begun, new Reader(response, { ...PACE, ...pace }));
  } finally {
    response.off('close', release);
    await release();
  }
}

interface WriteOptions {
  readonly more?: readonly string[];
  /** For tests. */
  readonly pace?: Partial<Pace>;
}

interface Begun {
  readonly before: string;
  readonly first: IteratorResult<Uint8Array>;
  readonly iterator: AsyncIterator<Uint8Array>;
  readonly after: string;
  readonly contentType: string | undefined;
  readonly isCompressed: boolean;
  readonly more: readonly string[];
}

function headersOf({
  contentType,
  isCompressed,
  more,
}: Pick<Begun, 'contentType' | 'isCompressed' | 'more'>): readonly string[] {
  const vary = contentType === undefined ? varies : variesWithType;
  return isCompressed ? [...vary, ...isGzip, ...more] : [...vary, ...more];
}

/** For HEAD, Node sends the head alone, with the length of the body. */
async function writeCollected(
  response: ServerResponse,
  { before, first, iterator, after, contentType, isCompressed, more }: Begun,
): Promise<void> {
  const parts: Uint8Array[] = [Buffer.from(before)];
  for (let chunk = first; chunk.done !== true; chunk = await iterator.next()) parts.push(chunk.value);
  parts.push(Buffer.from(after));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  localsOf(response).streamedBytes = length;
  const isSmaller = isCompressed && length >= MIN_COMPRESSED_BYTES;
  const headers = headersOf({ contentType, isCompressed: isSmaller, more });
  if (isSmaller || length < MAX_COPIED_BYTES) {
    const whole = Buffer.concat(parts);
    writeEncoded(response, 200, isSmaller ? await compressed(response, whole) : whole, headers, contentType);
    return;
  }
  writeHead(response, 200, ['Content-Length', String(length), ...headers], contentType);
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

/**
 * To a client of HTTP/1.0 the end of the connection is the end of the answer, so an answer that is cut off must not look
 * complete: closing its connection early resets it.
 */
function resetWhenCutOff(response: ServerResponse): void {
  const { socket } = response;
  if (socket === null) return;
  const destroy = socket.destroy;
  socket.destroy = function (error) {
    this.destroy = destroy;
    // TLS tells the client that data is missing.
    const isClear = response.chunkedEncoding || response.writableFinished || this instanceof TLSSocket;
    return isClear ? this.destroy(error) : this.resetAndDestroy();
  };
}

async function compressed(response: ServerResponse, whole: Uint8Array): Promise<Uint8Array> {
  const forget = countUnread(response, whole.length);
  return compress(whole).finally(forget);
}

async function writeChunks(response: ServerResponse, begun: Begun, reader: Reader): Promise<void> {
  if (response.req.httpVersion === '1.0') resetWhenCutOff(response);
  const compressor = begun.isCompressed ? createCompressor() : noCompressor;
  const locals = localsOf(response);
  locals.streamedBytes = 0;
  try {
    for await (const piece of piecesOf(begun)) {
      locals.streamedBytes += piece.length;
      const sent = await compressor.compress(piece);
      if (!response.write(sent)) await reader.drained();
      reader.hasRead(sent.length);
      // If the kernel accepts everything at once, there is no drain to wait for, and other requests would not be served.
      await setImmediate();
      if (response.destroyed) return;
    }
    const last = Buffer.from(begun.after);
    locals.streamedBytes += last.length;
    response.end(await compressor.end(last));
    reader.cutOffUnless('close');
  } finally {
    compressor.destroy();
  }
}

/** The first piece is the text before the chunks together with the first chunk. */
async function* piecesOf({ before, first, iterator }: Begun): AsyncGenerator<Uint8Array> {
  yield Buffer.concat([Buffer.from(before), ...(first.done === true ? [] : [first.value])]);
  if (first.done === true) return;
  for (let chunk = await iterator.next(); chunk.done !== true; chunk = await iterator.next())
    yield chunk.value;
}

const noCompressor: Compressor = {
  compress: async (piece) => piece,
  end: async (piece) => piece,
  destroy() {},
};

/** Tracks how long to wait for the client that reads an answer. */
class Reader {
  readonly #response: ServerResponse;
  readonly #pace: Pace;
  readonly #deadline: number;
  #leftMs: number;

  constructor(response: ServerResponse, pace: Pace) {
    this.#response = response;
    this.#pace = pace;
    this.#deadline = performance.now() + pace.maxMs;
    this.#leftMs = pace.stallMs;
  }

  /** Resolves when more can be sent, or when the connection is closed by the client or after too long a wait. */
  drained(): Promise<void> {
    const response = this.#response;
    const begun = performance.now();
    return new Promise((resolve) => {
      if (response.destroyed) return resolve();
      this.cutOffUnless('drain');
      const forget = countUnread(response, response.writableLength);
      const done = (): void => {
        forget();
        response.off('drain', done).off('close', done);
        this.#leftMs -= performance.now() - begun;
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }

  /** Gives time back for data that the client has read, up to the initial time. */
  hasRead(bytes: number): void {
    const { stallMs, minBytesPerSecond } = this.#pace;
    this.#leftMs = Math.min(this.#leftMs + (bytes / minBytesPerSecond) * 1000, stallMs);
  }

  /**
   * Closes the connection unless the event happens in time. Node's own timeout would be up to a minute late, because it
   * counts data in the kernel's buffer as read.
   */
  cutOffUnless(event: 'drain' | 'close'): void {
    const response = this.#response;
    const leftMs = Math.max(Math.min(this.#leftMs, this.#deadline - performance.now()), 0);
    const timer = setTimeout(() => response.destroy(), leftMs);
    const stop = (): void => {
      clearTimeout(timer);
      response.off(event, stop).off('close', stop);
    };
    response.on(event, stop).on('close', stop);
  }
}
