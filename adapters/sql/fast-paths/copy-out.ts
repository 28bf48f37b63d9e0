import type { Client } from 'pg';
import type { EncodeRow } from '../engine/database.js';
import type { ExportTurns } from '../engine/export-turns.js';
import { submit, wireOf } from './wire.js';

/** Encoded bytes after which other work gets a turn: a small request waits for a piece in each of its steps. */
const PIECE_BYTES = 65_536;
/** The first piece is smaller, so that it leaves soon. */
const FIRST_PIECE_BYTES = 16_384;
/** Larger than a piece, because more rows arrive before reading pauses: some tens of kilobytes, more if encoded rows are long. */
const BUFFER_BYTES = PIECE_BYTES + 131_072;

export type CopyOut = ReturnType<typeof copyOut>;

/**
 * Runs one `COPY … TO STDOUT`, and encodes each row. Between two calls of `next` nothing is read, so that the server waits and
 * memory stays flat. Exports take turns to read: otherwise each step of a small request would wait for a piece of every
 * export.
 */
export function copyOut(
  client: Client,
  text: string,
  { encode, reading }: { readonly encode: EncodeRow; readonly reading: ExportTurns },
) {
  let rows: Buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let length = 0;
  let pieceBytes = FIRST_PIECE_BYTES;
  let end: 'open' | 'finished' | { readonly error: unknown } = 'open';
  let wake: () => void = () => undefined;
  const { stream } = wireOf(client);

  const settle = (outcome: typeof end): void => {
    end = outcome;
    // The stream may be paused because a piece is full, but the next user of the connection must receive its answers.
    stream.resume();
    wake();
  };
  submit(client, {
    submit: (wire) => wire.query(text),
    handleCopyData({ chunk }) {
      let next = encode(chunk, rows, length);
      if (next > rows.length) {
        rows = enlarged(rows, next);
        next = encode(chunk, rows, length);
      }
      length = next;
      if (length < pieceBytes) return;
      stream.pause();
      wake();
    },
    handleCommandComplete() {},
    handleReadyForQuery: () => settle('finished'),
    handleError: (error) => settle({ error }),
  });
  stream.pause();

  return {
    /** Whether all rows have been read, so that the connection is free again. */
    isFinished: () => end === 'finished',

    /**
     * Returns the next rows, encoded: some tens of kilobytes, or the rest. Empty when there are no more rows. Rejects with
     * the server's error, or with pg's when the connection is lost.
     */
    async next(): Promise<Buffer> {
      if (end === 'open' && length < pieceBytes) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const release = await reading.acquire();
        stream.resume();
        await woken;
        release();
      }
      if (typeof end === 'object') throw end.error;
      // A copy of the right size: it stays in memory until the garbage collector runs.
      const piece = Buffer.from(rows.subarray(0, length));
      length = 0;
      pieceBytes = PIECE_BYTES;
      return piece;
    },
  };
}

function enlarged(rows: Buffer, minBytes: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(2 * rows.length, minBytes));
  rows.copy(larger);
  return larger;
}
