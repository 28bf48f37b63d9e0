import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/**
 * The first levels take as long as this one and pack less; the usual sixth takes twice as long, and an export would
 * wait for the packing (decision 105).
 */
const LEVEL = 3;

/** Whether the client accepts gzip, and prefers nothing to it that is not compressed. */
export function wantsGzip(request: IncomingMessage): boolean {
  if (request.headers['accept-encoding'] === undefined) return false;
  return new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip';
}

/** Packs a whole, on another thread. */
export async function packed(whole: Uint8Array): Promise<Uint8Array> {
  return promisify(gzip)(whole, { level: LEVEL });
}

/** Packs piece by piece, on another thread. */
export interface Packer {
  /** What leaves for the piece, all of it: nothing is held back for the next one. */
  pack(piece: Uint8Array): Promise<Uint8Array>;
  /** The same for the last one, and the end. */
  end(piece: Uint8Array): Promise<Uint8Array>;
  /** Has to be called, also in the middle. */
  destroy(): void;
}

export function createPacker(): Packer {
  const stream = createGzip({ level: LEVEL });
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
    pack: (piece) =>
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
