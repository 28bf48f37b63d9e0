import type { Client } from 'pg';
import type { Turns } from './turns.js';

/** Bytes of what rows were made into, after which everybody else gets a turn. */
const TURN = 262_144;
/** The same for the first ones, so that they leave soon. */
const FIRST_TURN = 16_384;
/** What the server has sent by then comes on top: some tens of kilobytes, and more where rows grow much. */
const ROOM = TURN + 131_072;

/** What a connection of pg can do beside what its types tell. */
interface Wire {
  query(text: string): void;
  readonly stream: { pause(): void; resume(): void };
}

/** Rows on their way out of PostgreSQL. */
export interface CopyOut {
  /**
   * Reads on, and gives what the next rows were made into: some hundred kilobytes, or what is left; empty: there
   * are no more. Rejects with the server's own error, or pg's when the connection is lost.
   */
  next(): Promise<Buffer>;
  /** Whether all has been read, so that the connection is free again. */
  isOver(): boolean;
}

/**
 * Runs one `COPY … TO STDOUT`, several times faster than rows that are read as values. `encode` is given each row
 * in COPY's text format and says what leaves in its place, both as latin1 of the bytes: UTF-8 is never decoded.
 * Between two calls of `next` nothing is read, so that the server waits, and memory stays flat. Those who read at the
 * same time take turns: else a small request would wait for a piece of each of them at every step of its own.
 */
export function copyOut(
  client: Client,
  text: string,
  { encode, turns }: { readonly encode: (row: string) => string; readonly turns: Turns },
): CopyOut {
  // As bytes at once: texts that live on are copied again and again by the collector.
  let rows: Buffer = Buffer.allocUnsafe(ROOM);
  let length = 0;
  let turn = FIRST_TURN;
  let end: 'open' | 'over' | { readonly error: unknown } = 'open';
  let wake: () => void = () => undefined;
  const { stream } = (client as unknown as { readonly connection: Wire }).connection;

  const settle = (how: typeof end): void => {
    end = how;
    // The last piece may have been full when the end came: whoever uses the connection next has to hear.
    stream.resume();
    wake();
  };
  client.query({
    submit: (wire: unknown) => (wire as Wire).query(text),
    handleCopyData({ chunk }: { readonly chunk: Buffer }) {
      const row = encode(chunk.toString('latin1', 0, chunk.length - 1));
      if (length + row.length > rows.length) rows = enlarged(rows, length + row.length);
      length += rows.write(row, length, 'latin1');
      if (length < turn) return;
      stream.pause();
      wake();
    },
    handleCommandComplete() {},
    handleReadyForQuery: () => settle('over'),
    handleError: (error: unknown) => settle({ error }),
  });
  stream.pause();

  return {
    isOver: () => end === 'over',
    async next() {
      if (end === 'open' && length < turn) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const done = await turns.take();
        stream.resume();
        await woken;
        done();
      }
      if (typeof end === 'object') throw end.error;
      // As small as it is: what has left stays in memory until the collector comes.
      const piece = Buffer.from(rows.subarray(0, length));
      length = 0;
      turn = TURN;
      return piece;
    },
  };
}

function enlarged(rows: Buffer, least: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(2 * rows.length, least));
  rows.copy(larger);
  return larger;
}
