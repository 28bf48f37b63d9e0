import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeLines } from '#core/meetings/whole-lines.js';

/** Characters at which some readers end a line, those that only look alike in UTF-8, and others. */
const TEXT = 'a\u2028b\u2029\u0085é\u00a0“quoted” \u2027\u202a€\u{1f600}\u2028';

test('a line of NDJSON has no character at which readers end lines, wherever the chunks are cut', async () => {
  const line = `${JSON.stringify({ name: TEXT, other: '\u0085' })}\n`;
  const bytes = Buffer.from(line + line);
  const expected = (line + line)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replaceAll('\u0085', '\\u0085');
  for (let first = 0; first <= bytes.length; first += 1)
    for (const second of [first, first + 1, first + 2, bytes.length]) {
      const cut = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
      const written = await textOf(wholeLines(asChunks(cut)));
      assert.equal(written, expected);
      assert.equal((JSON.parse(written.split('\n')[1] ?? '') as { readonly name: string }).name, TEXT);
    }
});

test('chunks without such a character are passed on as they are', async () => {
  const chunk = Buffer.from('{"name":"“é”"}\n');
  for await (const passed of wholeLines(asChunks([chunk]))) assert.equal(passed.buffer, chunk.buffer);
  assert.equal(await textOf(wholeLines(asChunks([Buffer.from([0x61, 0xe2, 0x80])]))), 'a\ufffd');
});

async function* asChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}
