import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { writeHead, writeJsonText } from './answer.js';
import { localsOf } from './locals.js';

/** An answer that is too large to hold: text before, chunks between, text after. */
export interface Streamed {
  readonly before: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly after: string;
  /** Small enough to be collected, and then sent in one piece with its length. */
  readonly isSmall: boolean;
  /** Writes the head where it is another than that of JSON; a small answer has no other. */
  readonly writeHead?: () => void;
}

export function isStreamed(answer: object): answer is Streamed {
  return 'chunks' in answer;
}

/** What is sent to be kept, with a head of its own. */
export type SentFile = Required<Omit<Streamed, 'isSmall'>>;

/** Milliseconds that a reader may take without taking anything. */
const LONGEST_STALL = 60_000;

/** Sends a file as exports are sent, for whoever answers something else than programs. */
export function sendFile(request: IncomingMessage, response: ServerResponse, file: SentFile): Promise<void> {
  return writeStreamed(request, response, { ...file, isSmall: false });
}

/**
 * Sends the answer at the reader's pace. Nothing is sent before the first chunk is there, so that whatever
 * fails until then can still be answered; what fails later is thrown, and must end the connection. When the
 * client leaves, the chunks are given up at once.
 */
export async function writeStreamed(
  request: IncomingMessage,
  response: ServerResponse,
  { before, chunks, after, isSmall, writeHead: begin = () => writeHead(response, 200, []) }: Streamed,
  longestStall = LONGEST_STALL,
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
    const begun = { before, first, iterator, after };
    if (isSmall && request.method !== 'HEAD') return await writeCollected(response, begun);
    begin();
    // How long the body would be is not known.
    if (request.method === 'HEAD') response.end();
    else await writeChunks(response, { ...begun, longestStall });
  } finally {
    response.off('close', giveUp);
    await giveUp();
  }
}

interface Begun {
  readonly before: string;
  readonly first: IteratorResult<Uint8Array>;
  readonly iterator: AsyncIterator<Uint8Array>;
  readonly after: string;
}

async function writeCollected(
  response: ServerResponse,
  { before, first, iterator, after }: Begun,
): Promise<void> {
  const parts: Uint8Array[] = [Buffer.from(before)];
  for (let chunk = first; chunk.done !== true; chunk = await iterator.next()) parts.push(chunk.value);
  const whole = Buffer.concat([...parts, Buffer.from(after)]);
  localsOf(response).streamedBytes = whole.length;
  writeJsonText(response, 200, whole);
}

async function writeChunks(
  response: ServerResponse,
  { before, first, iterator, after, longestStall }: Begun & { readonly longestStall: number },
): Promise<void> {
  response.write(before);
  const locals = localsOf(response);
  locals.streamedBytes = 0;
  for (let chunk = first; chunk.done !== true; chunk = await iterator.next()) {
    locals.streamedBytes += chunk.value.length;
    if (!response.write(chunk.value)) await drained(response, longestStall);
    // Where the kernel takes everything at once there is never a drain to wait for, and nobody else would run.
    await setImmediate();
    if (response.destroyed) return;
  }
  response.end(after);
  cutOffUnless(response, 'close', longestStall);
}

/** Ends when there is room again, or nobody to send to; that is when the reader has taken nothing for too long. */
function drained(response: ServerResponse, longest: number): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    cutOffUnless(response, 'drain', longest);
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Node's own timeout of a socket takes what the kernel keeps for the reader as read, and comes a minute late. */
function cutOffUnless(response: ServerResponse, event: 'drain' | 'close', longest: number): void {
  const timer = setTimeout(() => response.destroy(), longest);
  const stop = (): void => {
    clearTimeout(timer);
    response.off(event, stop).off('close', stop);
  };
  response.on(event, stop).on('close', stop);
}
