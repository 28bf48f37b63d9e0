import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { writeHead, writeJsonText } from './answer.js';
import { createPacker, type Packer, packed, wantsGzip } from './gzip.js';
import { localsOf } from './locals.js';

/** An answer that is too large to hold: text before, chunks between, text after. */
export interface Streamed {
  readonly before: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly after: string;
  /** Small enough to be collected, and then sent in one piece with its length. */
  readonly isSmall: boolean;
  /** The page after this one; null: there is none. */
  readonly nextPage?: number | null;
  /** Writes the head where it is another than that of JSON, and nothing is packed; a small answer has no other. */
  readonly writeHead?: () => void;
}

export function isStreamed(answer: object): answer is Streamed {
  return 'chunks' in answer;
}

/** What is sent to be kept, with a head of its own. */
export type SentFile = Required<Omit<Streamed, 'isSmall' | 'nextPage'>>;

/** How slow a reader may be: what it reads from, and its place, are held for it meanwhile (decision 151). */
export interface Pace {
  /** Milliseconds to wait for a reader who takes nothing. */
  readonly stallMs: number;
  /** Bytes a second: a reader who takes fewer uses up those milliseconds bit by bit, and gets them back by taking more. */
  readonly leastRate: number;
  /** Milliseconds after which no reader is waited for any more. */
  readonly longestMs: number;
}

const PACE: Pace = { stallMs: 60_000, leastRate: 10_240, longestMs: 3_600_000 };

/** An answer of fewer bytes is sent as it is: packing would gain less than a packet of the network. */
const FEWEST_PACKED = 1_400;

/** Names and values in turn, also of what leaves as it is: a cache must not give it to whoever asks otherwise. */
const varies = ['Vary', 'Accept-Encoding'];
const gzipHeaders = [...varies, 'Content-Encoding', 'gzip'];

/** Sends a file as exports are sent, for whoever answers something else than programs. */
export function sendFile(request: IncomingMessage, response: ServerResponse, file: SentFile): Promise<void> {
  return writeStreamed(request, response, { ...file, isSmall: false });
}

/**
 * Sends the answer at the reader's pace, packed where the client asks for it; `more` are further headers, names and
 * values in turn. Nothing is sent before the first chunk is there, so that whatever fails until then can still be
 * answered; what fails later is thrown, and must end the connection. When the client leaves, the chunks are given up
 * at once.
 */
export async function writeStreamed(
  request: IncomingMessage,
  response: ServerResponse,
  { before, chunks, after, isSmall, writeHead: begin }: Streamed,
  { more = [], pace = {} }: WriteOptions = {},
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const giveUp = async (): Promise<void> => {
    // Nobody waits for it: what goes wrong while giving up changes nothing for anybody.
    await Promise.resolve(iterator.return?.()).catch(() => undefined);
  };
  response.once('close', giveUp);
  try {
    const first = await iterator.next();
    if (response.destroyed) return;
    const isPacked = begin === undefined && wantsGzip(request);
    const begun = { before, first, iterator, after, isPacked, more };
    if (isSmall) return await writeCollected(response, begun);
    if (begin === undefined) writeHead(response, 200, headersOf(begun));
    else begin();
    // How long the body would be is not known.
    if (request.method === 'HEAD') response.end();
    else await writeChunks(response, begun, new Reader(response, { ...PACE, ...pace }));
  } finally {
    response.off('close', giveUp);
    await giveUp();
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
  readonly isPacked: boolean;
  readonly more: readonly string[];
}

function headersOf({ isPacked, more }: Pick<Begun, 'isPacked' | 'more'>): readonly string[] {
  return [...(isPacked ? gzipHeaders : varies), ...more];
}

/** Of a HEAD request Node sends the head alone, with the length that the body has. */
async function writeCollected(
  response: ServerResponse,
  { before, first, iterator, after, isPacked, more }: Begun,
): Promise<void> {
  const parts: Uint8Array[] = [Buffer.from(before)];
  for (let chunk = first; chunk.done !== true; chunk = await iterator.next()) parts.push(chunk.value);
  const whole = Buffer.concat([...parts, Buffer.from(after)]);
  const pays = isPacked && whole.length >= FEWEST_PACKED;
  const sent = pays ? await packed(whole) : whole;
  localsOf(response).streamedBytes = whole.length;
  writeJsonText(response, 200, sent, headersOf({ isPacked: pays, more }));
}

async function writeChunks(response: ServerResponse, begun: Begun, reader: Reader): Promise<void> {
  const packer = begun.isPacked ? createPacker() : asItIs;
  const locals = localsOf(response);
  locals.streamedBytes = 0;
  try {
    for await (const piece of piecesOf(begun)) {
      locals.streamedBytes += piece.length;
      const sent = await packer.pack(piece);
      if (!response.write(sent)) await reader.drained();
      reader.took(sent.length);
      // Where the kernel takes everything at once there is never a drain to wait for, and nobody else would run.
      await setImmediate();
      if (response.destroyed) return;
    }
    const last = Buffer.from(begun.after);
    locals.streamedBytes += last.length;
    response.end(await packer.end(last));
    reader.cutOffUnless('close');
  } finally {
    packer.destroy();
  }
}

/** The text before and the first rows together. */
async function* piecesOf({ before, first, iterator }: Begun): AsyncGenerator<Uint8Array> {
  yield Buffer.concat([Buffer.from(before), ...(first.done === true ? [] : [first.value])]);
  if (first.done === true) return;
  for (let chunk = await iterator.next(); chunk.done !== true; chunk = await iterator.next())
    yield chunk.value;
}

const asItIs: Packer = {
  pack: async (piece) => piece,
  end: async (piece) => piece,
  destroy() {},
};

/** Whoever reads an answer, with the time that is still left for waiting. */
class Reader {
  readonly #response: ServerResponse;
  readonly #pace: Pace;
  readonly #end: number;
  /** Milliseconds. */
  #left: number;

  constructor(response: ServerResponse, pace: Pace) {
    this.#response = response;
    this.#pace = pace;
    this.#end = performance.now() + pace.longestMs;
    this.#left = pace.stallMs;
  }

  /** Ends when there is room again, or nobody to send to; that is when nothing is left for waiting. */
  drained(): Promise<void> {
    const response = this.#response;
    const begun = performance.now();
    return new Promise((resolve) => {
      if (response.destroyed) return resolve();
      this.cutOffUnless('drain');
      const done = (): void => {
        response.off('drain', done).off('close', done);
        this.#left -= performance.now() - begun;
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }

  /** What it has taken pays for waiting, as far as the first pause lasted. */
  took(bytes: number): void {
    const { stallMs, leastRate } = this.#pace;
    this.#left = Math.min(this.#left + (bytes / leastRate) * 1000, stallMs);
  }

  /** Node's own timeout of a socket takes what the kernel keeps for the reader as read, and comes a minute late. */
  cutOffUnless(event: 'drain' | 'close'): void {
    const response = this.#response;
    const left = Math.max(Math.min(this.#left, this.#end - performance.now()), 0);
    const timer = setTimeout(() => response.destroy(), left);
    const stop = (): void => {
      clearTimeout(timer);
      response.off(event, stop).off('close', stop);
    };
    response.on(event, stop).on('close', stop);
  }
}
