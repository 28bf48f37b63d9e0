import type { Readable } from 'node:stream';
import { type FollowedLine, LineCutter, type LineSource } from './line-source.js';

/** The lines of a stream, until it ends. A last line without an end counts. */
export function streamSource(stream: Readable): LineSource {
  const cutter = new LineCutter();
  let number = 0;
  let hasEnded = false;
  let failure: Error | null = null;
  stream.on('end', () => {
    hasEnded = true;
  });
  stream.on('error', (error) => {
    failure = error;
  });

  function nextLine(): Buffer | null {
    for (;;) {
      const line = cutter.next();
      if (line !== null) return line;
      const bytes = stream.read() as Buffer | null;
      if (bytes === null) return hasEnded ? cutter.rest() : null;
      cutter.add(bytes);
    }
  }

  return {
    async read(max) {
      if (failure !== null) throw failure;
      const lines: FollowedLine[] = [];
      while (lines.length < max) {
        const bytes = nextLine();
        if (bytes === null) break;
        number += 1;
        lines.push({ number, bytes, place: null });
      }
      return lines;
    },
    isEnded: () => hasEnded && cutter.pendingBytes === 0,
    async close() {
      stream.destroy();
    },
  };
}
