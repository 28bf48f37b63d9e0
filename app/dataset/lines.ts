import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DatasetError } from '@rollcall/sql/maintenance';

export interface Line {
  /** The first one is 1. */
  readonly number: number;
  readonly text: string;
}

const MAX_LINE_BYTES = 1_000_000;
const NEW_LINE = 0x0a;
const GZIP = [0x1f, 0x8b];
/** Six times the largest dataset that is measured: 1.2 million records. A megabyte of gzip can be a gigabyte. */
const MAX_DECOMPRESSED_BYTES = 2_000_000_000;

/**
 * Reads the bytes, and decompresses them if they start like gzip. Throws `DatasetError` if they are more than `maxBytes`
 * after decompression.
 */
export async function* decompressed(
  source: AsyncIterable<Uint8Array>,
  maxBytes = MAX_DECOMPRESSED_BYTES,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  const begin: Uint8Array[] = [];
  let length = 0;
  while (length < GZIP.length) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    begin.push(value);
    length += value.length;
  }
  const first = Buffer.concat(begin);
  const all = (async function* () {
    yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
  if (GZIP.some((byte, index) => first[index] !== byte)) yield* all;
  else yield* gunzip(all, maxBytes);
}

async function* gunzip(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  // Reading throws the errors of the pipeline.
  const bytes = pipeline(Readable.from(source), createGunzip(), () => undefined);
  let total = 0;
  try {
    for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
      total += chunk.length;
      if (total > maxBytes) throw tooMuch(maxBytes);
      yield chunk;
    }
  } catch (error) {
    const isCorrupt = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    if (!isCorrupt) throw error;
    throw new DatasetError({ line: null, field: null }, 'the gzip data is damaged or incomplete', {
      cause: error,
    });
  }
}

function tooMuch(maxBytes: number): DatasetError {
  const limit = `${maxBytes / 1_000_000_000} GB`;
  const text = `the gzip data has more than ${limit} when decompressed: split it, or send it uncompressed`;
  return new DatasetError({ line: null, field: null }, text);
}

/** Splits a UTF-8 text into batches of lines, without empty lines. Throws `DatasetError`. */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  firstNumber = 1,
): AsyncGenerator<readonly Line[]> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let next = firstNumber;
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(NEW_LINE);
    if (end === -1) {
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes > MAX_LINE_BYTES) throw tooLong(next);
      continue;
    }
    const read = linesIn(Buffer.concat([...pending, chunk.subarray(0, end)]), next);
    yield read.lines;
    next = read.next;
    pending = [chunk.subarray(end + 1)];
    pendingBytes = chunk.length - end - 1;
    if (pendingBytes > MAX_LINE_BYTES) throw tooLong(next);
  }
  if (pendingBytes > 0) yield linesIn(Buffer.concat(pending), next).lines;
}

/**
 * Checks before decoding, because a decoder that throws takes several times as long. Decodes line by line, which takes half
 * the time of splitting one long text.
 */
function linesIn(
  bytes: Buffer,
  firstNumber: number,
): { readonly lines: readonly Line[]; readonly next: number } {
  if (!isUtf8(bytes)) {
    const line = firstNumber + validLinesBefore(bytes);
    const text = hasUtf16Mark(bytes) ? 'is UTF-16; write the dataset in UTF-8' : 'is not valid UTF-8';
    throw new DatasetError({ line, field: null }, text);
  }
  const lines: Line[] = [];
  let next = firstNumber;
  for (let start = 0; start <= bytes.length; next += 1) {
    const found = bytes.indexOf(NEW_LINE, start);
    const end = found === -1 ? bytes.length : found;
    const raw = bytes.toString('utf8', start, end);
    start = end + 1;
    if (raw.length > MAX_LINE_BYTES) throw tooLong(next);
    // A byte order mark is also where one file follows another.
    const text = raw.startsWith('\ufeff') ? raw.slice(1) : raw;
    if (text.trim() !== '') lines.push({ number: next, text });
  }
  return { lines, next };
}

/** As Windows PowerShell writes files. */
function hasUtf16Mark([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** The number of lines before the first one that is not UTF-8. */
function validLinesBefore(bytes: Buffer): number {
  let start = 0;
  for (let index = 0; ; index += 1) {
    const end = bytes.indexOf(NEW_LINE, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return index;
    start = end + 1;
  }
}

function tooLong(line: number): DatasetError {
  return new DatasetError({ line, field: null }, 'is longer than 1 MB; each record must be one line');
}
