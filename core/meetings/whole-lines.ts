const encoder = new TextEncoder();
/** The first bytes of U+2028 and U+2029, and of U+0085. */
const [PARTED, NEXT_LINE] = [0xe2, 0xc2];

/**
 * The same lines of JSON, with U+0085, U+2028 and U+2029 escaped. Many readers end a line there: `readline` from Node 24 on,
 * Python's `splitlines`, Java's `Scanner`.
 */
export async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = begun.length === 0 ? chunk : joined([begun, chunk]);
    const end = bytes.length - begunAtEnd(bytes);
    begun = bytes.slice(end);
    if (end > 0) yield escaped(bytes.subarray(0, end));
  }
  if (begun.length > 0) yield begun;
}

/** How many bytes at the end may begin one of the characters. */
function begunAtEnd(bytes: Uint8Array): number {
  const last = bytes.at(-1);
  if (last === PARTED || last === NEXT_LINE) return 1;
  return last === 0x80 && bytes.at(-2) === PARTED ? 2 : 0;
}

function escaped(bytes: Uint8Array): Uint8Array {
  const found = [...separators(bytes, PARTED), ...separators(bytes, NEXT_LINE)].sort(
    (one, other) => one.at - other.at,
  );
  if (found.length === 0) return bytes;
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { at, length, written } of found) {
    parts.push(bytes.subarray(from, at), encoder.encode(written));
    from = at + length;
  }
  return joined([...parts, bytes.subarray(from)]);
}

interface Separator {
  readonly at: number;
  readonly length: number;
  readonly written: string;
}

function* separators(bytes: Uint8Array, first: number): Generator<Separator> {
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    const [second, third] = [bytes[at + 1], bytes[at + 2]];
    if (first === NEXT_LINE && second === 0x85) yield { at, length: 2, written: '\\u0085' };
    if (first === PARTED && second === 0x80 && third === 0xa8) yield { at, length: 3, written: '\\u2028' };
    if (first === PARTED && second === 0x80 && third === 0xa9) yield { at, length: 3, written: '\\u2029' };
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
