import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/**
 * Lower levels take as long as this one and compress less. The default level, 6, takes twice as long and would slow
 * down exports (decision 105).
 */
const COMPRESSION_LEVEL = 3;

/** Whether the client accepts gzip and does not prefer an uncompressed answer. */
export function wantsGzip(request: IncomingMessage): boolean {
  if (request.headers['accept-encoding'] === undefined) return false;
  return new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip';
}

/** Compresses a whole answer, on another thread. */
export async function compress(whole: Uint8Array): Promise<Uint8Array> {
  return promisify(gzip)(whole, { level: COMPRESSION_LEVEL });
}

/** Compresses an answer piece by piece, on another thread. */
export interface Compressor {
  /** Returns the whole compressed piece; no data is kept for the next call. */
  compress(piece: Uint8Array): Promise<Uint8Array>;
  /** Returns the last compressed piece and the end of the compressed data. */
  end(piece: Uint8Array): Promise<Uint8Array>;
  /** Frees the memory. Must always be called, even if `end` was not. */
  destroy(): void;
}

export function createCompressor(): Compressor {
  const stream = createGzip({ level: COMPRESSION_LEVEL });
  let parts: Buffer[] = [];
  let fail: (error: Error) => void = () => undefined;
  stream.on('data', (part: Buffer) => parts.push(part)).on('error', (error) => fail(error));
  const all = (begin: (done: () => void) => void): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      fail = reject;
      begin(() => {
        const whole = Buffer.concat(parts);
        parts = [];
        resolve(whole);
      });
    });
  return {
    compress: (piece) =>
      all((done) => {
        stream.write(piece);
        stream.flush(constants.Z_SYNC_FLUSH, done);
      }),
    end: (piece) =>
      all((done) => {
        stream.once('end', done);
        stream.end(piece);
      }),
    destroy: () => stream.destroy(),
  };
}
