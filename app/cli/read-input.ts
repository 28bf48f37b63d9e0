import { decodeText } from '../config/decode-text.js';
import { Failure } from '../failure.js';

/** Longer than any password, and than any URL of a database. */
const MAX_INPUT_BYTES = 16 * 1024;

/** Reads the text on standard input. Fails with this message if it is longer. */
export async function readInput(tooLong: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > MAX_INPUT_BYTES) throw new Failure(tooLong);
  }
  return decodeText(Buffer.concat(chunks));
}
