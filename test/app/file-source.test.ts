import assert from 'node:assert/strict';
import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fileSource } from '#app/follow/file-source.js';
import type { FollowedLine, LineSource } from '#app/follow/line-source.js';
import { temporaryDirectory } from '../support/app-cli.js';

describe('The lines of a file that is followed', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let file = '';
  let notices: string[] = [];
  const sources: LineSource[] = [];
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory.path, 'changes.ndjson');
    notices = [];
  });
  afterEach(async () => {
    for (const source of sources.splice(0)) await source.close();
    directory.remove();
  });

  function open(after: FollowedLine | null = null): LineSource {
    const source = fileSource({ file, place: after?.place ?? null, notice: (text) => notices.push(text) });
    sources.push(source);
    return source;
  }
  const textsOf = (lines: readonly FollowedLine[]) =>
    lines.map(({ number, bytes }) => `${number} ${bytes.toString().trimEnd()}`);
  /** Reads until nothing comes any more. */
  async function all(source: LineSource): Promise<readonly FollowedLine[]> {
    const lines: FollowedLine[] = [];
    for (let empty = 0; empty < 2; ) {
      const read = await source.read(2);
      lines.push(...read);
      empty = read.length === 0 ? empty + 1 : 0;
    }
    return lines;
  }

  test('are read when they are complete, and a new run reads on behind the last one', async () => {
    writeFileSync(file, 'a\nb\nc\nd');
    const first = await all(open());
    assert.deepEqual(textsOf(first), ['1 a', '2 b', '3 c']);
    appendFileSync(file, 'd\n\nf\n');
    for (const at of [0, 1, 2]) {
      const rest = textsOf(await all(open(first[at])));
      assert.deepEqual(rest, ['2 b', '3 c', '4 dd', '5 ', '6 f'].slice(at));
    }
    assert.deepEqual(notices, []);
  });

  test('are recognized by the first kilobyte, not by the inode alone', async () => {
    writeFileSync(file, 'first line\n'.repeat(200));
    const lines = await all(open());
    writeFileSync(file, 'other line\n'.repeat(300));
    const again = await all(open(lines.at(-1)));
    assert.equal(again.length, 300);
    assert.match(notices[0] ?? '', /another file than before.*lines after line 200 .*may be missing/);
  });

  test('are waited for while the file does not exist', async () => {
    const source = open();
    assert.deepEqual(await all(source), []);
    assert.deepEqual(notices, [`${file} does not exist yet. Waiting for it`]);
    writeFileSync(file, 'a\n');
    assert.deepEqual(textsOf(await all(source)), ['1 a']);
  });

  test('come from the old file first when it is replaced, with what was written to it last', async () => {
    writeFileSync(file, 'a\nb\n');
    const source = open();
    await all(source);
    appendFileSync(file, 'c\nd');
    renameSync(file, `${file}.1`);
    writeFileSync(file, 'e\nf\n');
    assert.deepEqual(textsOf(await all(source)), ['3 c', '4 d', '1 e', '2 f']);
    assert.deepEqual(notices, [`${file} was replaced. Reading the new file`]);
  });

  test('of a file that was replaced between two runs are read on under its new name', async () => {
    writeFileSync(file, 'a\nb\n');
    const lines = await all(open());
    appendFileSync(file, 'c\n');
    renameSync(file, `${file}.1`);
    writeFileSync(file, 'd\n');
    assert.deepEqual(textsOf(await all(open(lines[0]))), ['2 b', '3 c', '1 d']);
  });

  test('of a truncated file are read from its beginning, even when it is longer than before', async () => {
    writeFileSync(file, 'a\nb\n');
    const source = open();
    await all(source);
    truncateSync(file);
    appendFileSync(file, 'c\n');
    assert.deepEqual(textsOf(await all(source)), ['1 c']);
    writeFileSync(file, 'd\ne\nf\ng\n');
    assert.deepEqual(textsOf(await all(source)), ['1 d', '2 e', '3 f', '4 g']);
    assert.equal(notices.length, 2);
  });

  test('that are too long are passed on, not kept in memory for ever', async () => {
    writeFileSync(file, 'x'.repeat(3_000_000));
    const lines = await open().read(10);
    assert.ok(lines.length >= 1);
    assert.ok((lines[0]?.bytes.length ?? 0) > 1_000_000);
  });
});
