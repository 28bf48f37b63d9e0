import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
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

  function open(after: FollowedLine | null = null, { graceMs = 0 } = {}): LineSource {
    const source = fileSource({
      ...{ file, place: after?.place ?? null, graceMs, ignored: [`${file}.wrong`] },
      notice: (text) => notices.push(text),
    });
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

  test('of a file that is still written to after it was replaced come before those of the new one', async () => {
    writeFileSync(file, 'a\n');
    const source = open(null, { graceMs: 1_500 });
    assert.deepEqual(textsOf(await all(source)), ['1 a']);
    appendFileSync(file, 'b');
    renameSync(file, `${file}.1`);
    writeFileSync(file, '');
    assert.deepEqual(await all(source), []);
    appendFileSync(`${file}.1`, 'c\nd\n');
    assert.deepEqual(textsOf(await all(source)), ['2 bc', '3 d']);
    await pause(1_000);
    appendFileSync(`${file}.1`, 'e');
    appendFileSync(file, 'f\n');
    assert.deepEqual(await all(source), []);
    await pause(1_000);
    assert.deepEqual(await all(source), [], 'each byte begins the grace time again');
    await pause(1_000);
    assert.deepEqual(textsOf(await all(source)), ['4 e', '1 f']);
  });

  test('that were not complete when the run was stopped are read by the next run, after a rotation too', async () => {
    writeFileSync(file, 'a\nb');
    const stopped = open(null, { graceMs: 60_000 });
    const lines = await all(stopped);
    renameSync(file, `${file}.1`);
    writeFileSync(file, 'd\n');
    assert.deepEqual(await all(stopped), []);
    await stopped.close();
    appendFileSync(`${file}.1`, 'c\n');
    assert.deepEqual(textsOf(await all(open(lines.at(-1)))), ['2 bc', '1 d']);
  });

  /** Files that are created at different times, as the clock of the file system sees it. */
  async function written(...files: readonly (readonly [name: string, text: string])[]): Promise<void> {
    for (const [name, text] of files) {
      await pause(30);
      writeFileSync(name, text);
    }
  }

  test('of all files that came between the old one and the current one are read, in their order', async () => {
    await written([`${file}.4`, 'z\n'], [file, 'a\nb\n']);
    const lines = await all(open());
    renameSync(file, `${file}.3`);
    await written([`${file}.2`, 'c\nd\n'], [`${file}.1`, 'e\n'], [`${file}.wrong`, 'x\n'], [file, 'f\n']);
    const read = await all(open(lines[0]));
    assert.deepEqual(textsOf(read), ['2 b', '1 c', '2 d', '1 e', '1 f']);
    assert.equal(notices.length, 3);
    assert.match(notices[0] ?? '', /was replaced more than once\. Reading .*\.2 before the new file$/);
    assert.deepEqual(textsOf(await all(open(read[2]))), ['1 e', '1 f'], 'a run can stop in between');
  });

  test('that may be missing because a file between two others cannot be read are named', async () => {
    await written([file, 'first\nb\n']);
    const lines = await all(open());
    renameSync(file, `${file}.3`);
    await written([`${file}.2.gz`, 'packed']);
    await pause(30);
    copyFileSync(`${file}.3`, `${file}.copy`);
    await written([file, 'new\n']);
    assert.deepEqual(textsOf(await all(open(lines.at(-1)))), ['1 new']);
    assert.equal(notices.length, 2);
    assert.ok(notices[0]?.startsWith(`Lines of ${file}.2.gz, ${file}.copy may be missing: `), notices[0]);
  });

  test('are those of a regular file', async () => {
    mkdirSync(file);
    const expected = { name: 'Failure', message: /is a directory: --follow needs a regular file, or - for/ };
    await assert.rejects(open().read(1), expected);
    file = join(directory.path, 'pipe');
    if (spawnSync('mkfifo', [file]).status !== 0) return;
    await assert.rejects(open().read(1), { message: /is a named pipe: --follow needs a regular file/ });
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
