import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { ImportPlace } from '@rollcall/sql/maintenance';
import { Failure } from '../failure.js';
import { type FollowedLine, LineCutter, type LineSource } from './line-source.js';
import { filesBetween, type RotatedFile, rotatedFiles } from './rotated-files.js';

export interface FollowFile {
  /** An absolute path. */
  readonly file: string;
  /** The place of the last run. Null for the beginning of the file. */
  readonly place: ImportPlace | null;
  /** Tells the operator what happens to the file. */
  readonly notice: (text: string) => void;
  /** How long a file that was replaced must get no more bytes until it counts as complete. */
  readonly graceMs?: number;
  /** Files that are never read, although their names may begin like the name of the file. */
  readonly ignored?: readonly string[];
}

const MAX_PIECE_BYTES = 262_144;
/** The beginning of a file, by which it is recognized. */
const HEAD_BYTES = 1024;
/** A program goes on writing to the old file until it is told to open the new one. */
const GRACE_MS = 5_000;

/** An open file with what was read of it. */
interface OpenFile {
  readonly handle: FileHandle;
  readonly inode: bigint;
  /** Its first bytes. */
  head: Buffer;
  /** The number of bytes that were read. */
  read: number;
  /** The number of bytes that were passed on as lines. */
  position: number;
  line: number;
  /** Whether everything was read when it was last tried. */
  isAtEnd: boolean;
  /** Since when there is another file at the path and nothing more to read. */
  quietSince: number | null;
  cutter: LineCutter;
}

/** A file that was read to its end after it was replaced. */
interface FinishedFile {
  readonly stats: BigIntStats;
  readonly head: Buffer;
}

/**
 * The lines of a file that is being written. When the file is replaced (rotated), the rest of the old one is read first,
 * until nothing more was written to it for a while, and then the files that came between it and the current one. This is
 * also done if it was replaced since the last run and the old files are still in the same folder. When it is truncated, it
 * is read from its beginning. The file need not exist yet.
 */
export function fileSource({
  file,
  place,
  notice,
  graceMs = GRACE_MS,
  ignored = [],
}: FollowFile): LineSource {
  let current: OpenFile | null = null;
  let resumed: ImportPlace | null = place;
  let finished: FinishedFile | null = null;
  const finishedKeys = new Set<string>();
  /** The files that a message has named. */
  const reportedKeys = new Set<string>();
  let isMissing = false;

  /** Opens the file of the last run, the one after that which is finished, or the file at the path. Null: there is none. */
  async function openNext(): Promise<OpenFile | null> {
    if (resumed === null) return openAfter(finished);
    const before = resumed;
    const found = await findPlace(file, before);
    if (found !== null) {
      resumed = null;
      return found;
    }
    const newest = await openAt(file, BEGINNING);
    if (newest === null) return null;
    resumed = null;
    const others = (await siblings()).filter(({ stats }) => stats.ino !== newest.inode);
    const further = others.length === 0 ? '' : `, and lines of ${namesOf(others)}`;
    notice(
      `${file} is another file than before, and the rest of that one was not found. Reading from line 1; ` +
        `lines after line ${before.line} of the old file may be missing${further}`,
    );
    return newest;
  }

  /** Opens the file that was followed by the path next after this one. */
  async function openAfter(done: FinishedFile | null): Promise<OpenFile | null> {
    for (;;) {
      const newest = await openAt(file, BEGINNING);
      if (newest === null || done === null) return newest;
      const next = await nextOf(done, newest);
      if (next === null) {
        notice(`${file} was replaced. Reading the new file`);
        return newest;
      }
      await newest.handle.close();
      const opened = await openAt(next.path, BEGINNING);
      if (opened?.inode === next.stats.ino) {
        notice(`${file} was replaced more than once. Reading ${next.path} before the new file`);
        return opened;
      }
      // It was renamed meanwhile.
      await opened?.handle.close();
    }
  }

  /** The first file between two others. Says which ones cannot be read. */
  async function nextOf(done: FinishedFile, newest: OpenFile): Promise<RotatedFile | null> {
    const before = await newest.handle.stat({ bigint: true });
    const { inOrder, unreadable } = filesBetween(await siblings(), { after: done.stats, before });
    const skipped = [...unreadable];
    let next: RotatedFile | null = null;
    for (const one of inOrder) {
      if (await isCopy(one, done)) skipped.push(one);
      else next ??= one;
    }
    const unread = skipped.filter(({ stats }) => !reportedKeys.has(keyOf(stats)));
    for (const { stats } of unread) reportedKeys.add(keyOf(stats));
    if (unread.length > 0)
      notice(
        `Lines of ${namesOf(unread)} may be missing: each may have been written between the old file and the new one, ` +
          'but is compressed, is a copy, or its order is unknown, so it was not read',
      );
    return next;
  }

  async function siblings(): Promise<readonly RotatedFile[]> {
    const all = await rotatedFiles(file);
    const inodes = await Promise.all(ignored.map(async (path) => (await statOrNull(path))?.ino));
    return all.filter(({ stats }) => !inodes.includes(stats.ino) && !finishedKeys.has(keyOf(stats)));
  }

  /** Whether the file was written anew from its beginning. Checked when there was nothing more to read before. */
  async function isTruncated(of: OpenFile): Promise<boolean> {
    if (!of.isAtEnd) return false;
    const { size } = await of.handle.stat();
    const { buffer, bytesRead } = await of.handle.read({ buffer: Buffer.alloc(of.head.length), position: 0 });
    if (size >= of.read && of.head.equals(buffer.subarray(0, bytesRead))) return false;
    notice(`${file} was truncated. Reading from line 1`);
    return true;
  }

  /** Whether there is another file at the path, and nothing more was written to this one for a while. */
  async function isFinished(of: OpenFile): Promise<boolean> {
    const now = await statOrNull(file);
    if (now === null || now.ino === of.inode) {
      of.quietSince = null;
      return false;
    }
    of.quietSince ??= performance.now();
    return performance.now() - of.quietSince >= graceMs;
  }

  async function finish(of: OpenFile): Promise<void> {
    const stats = await of.handle.stat({ bigint: true });
    finished = { stats, head: of.head };
    finishedKeys.add(keyOf(stats));
    await of.handle.close();
    current = null;
  }

  function lineOf(of: OpenFile, bytes: Buffer): FollowedLine {
    of.position += bytes.length;
    of.line += 1;
    const { position, line } = of;
    return { number: line, bytes, place: { identity: identityOf(of), position, line } };
  }

  return {
    async read(max) {
      const lines: FollowedLine[] = [];
      while (lines.length < max) {
        current ??= await openNext();
        if (current === null) {
          if (!isMissing) notice(`${file} does not exist yet. Waiting for it`);
          isMissing = true;
          break;
        }
        isMissing = false;
        const bytes = current.cutter.next();
        if (bytes !== null) {
          lines.push(lineOf(current, bytes));
          continue;
        }
        if (await isTruncated(current)) {
          restart(current);
          continue;
        }
        if (await fill(current)) continue;
        if (!(await isFinished(current))) break;
        // Something may have been written between the last read and the replacement.
        if (await fill(current)) continue;
        const rest = current.cutter.rest();
        if (rest !== null) lines.push(lineOf(current, rest));
        await finish(current);
      }
      return lines;
    },
    isEnded: () => false,
    async close() {
      await current?.handle.close();
      current = null;
    },
  };
}

const BEGINNING = { position: 0, line: 0 } as const;

/** Begins the file again. */
function restart(of: OpenFile): void {
  const head = Buffer.alloc(0);
  Object.assign(of, {
    head,
    read: 0,
    ...BEGINNING,
    isAtEnd: false,
    quietSince: null,
    cutter: new LineCutter(),
  });
}

/** Whether the file begins as the other one: reading a copy of it would bring back old records. */
async function isCopy({ path }: RotatedFile, { head }: FinishedFile): Promise<boolean> {
  const opened = await openAt(path, { position: head.length, line: 0 });
  if (opened === null) return false;
  await opened.handle.close();
  const length = Math.min(head.length, opened.head.length);
  return length > 0 && head.subarray(0, length).equals(opened.head.subarray(0, length));
}

/** Differs for another file that gets the inode of a deleted one. */
function keyOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino} ${birthtimeNs}`;
}

function namesOf(files: readonly RotatedFile[]): string {
  return files.map(({ path }) => path).join(', ');
}

/** Reads the next bytes. Returns whether there were any. */
async function fill(of: OpenFile): Promise<boolean> {
  const { bytesRead, buffer } = await of.handle.read({
    buffer: Buffer.alloc(MAX_PIECE_BYTES),
    position: of.read,
  });
  of.isAtEnd = bytesRead === 0;
  if (of.isAtEnd) return false;
  of.quietSince = null;
  const bytes = buffer.subarray(0, bytesRead);
  if (of.head.length < HEAD_BYTES && of.read === of.head.length)
    of.head = Buffer.concat([of.head, bytes.subarray(0, HEAD_BYTES - of.head.length)]);
  of.read += bytesRead;
  of.cutter.add(bytes);
  return true;
}

/** The inode and a hash of the beginning: another file can get the same inode. */
function identityOf({ inode, head, position }: Pick<OpenFile, 'inode' | 'head' | 'position'>): string {
  const length = Math.min(HEAD_BYTES, position);
  const hash = createHash('sha256').update(head.subarray(0, length)).digest('base64url');
  return `${inode} ${length} ${hash}`;
}

/** Opens the file of the place: at its path, or under another name in the same folder. Null when it is not there. */
async function findPlace(file: string, place: ImportPlace): Promise<OpenFile | null> {
  for (const path of [file, ...(await rotatedFiles(file)).map((rotated) => rotated.path)]) {
    const found = await openAt(path, place).catch((error: unknown) => {
      if (path === file) throw error;
      return null;
    });
    if (found === null) continue;
    const { size } = await found.handle.stat();
    if (size >= place.position && identityOf(found) === place.identity) return found;
    await found.handle.close();
  }
  return null;
}

/** Opens a file to continue at this position. Null when there is none. */
async function openAt(
  path: string,
  { position, line }: Pick<ImportPlace, 'position' | 'line'>,
): Promise<OpenFile | null> {
  const orNull = (error: NodeJS.ErrnoException): null => {
    if (error.code === 'ENOENT') return null;
    throw error.code === 'EACCES' ? new Failure(`${path}: this user may not read the file.`) : error;
  };
  const found = await stat(path, { bigint: true }).catch(orNull);
  if (found === null) return null;
  // Opening a named pipe would wait for its writer.
  if (!found.isFile())
    throw new Failure(`${path} is ${kindOf(found)}: --follow needs a regular file, or - for standard input.`);
  const handle = await open(path, 'r').catch(orNull);
  if (handle === null) return null;
  const { ino: inode } = await handle.stat({ bigint: true });
  const length = Math.min(HEAD_BYTES, position);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: 0 });
  const head = buffer.subarray(0, bytesRead);
  const cutter = new LineCutter();
  return { handle, inode, head, read: position, position, line, isAtEnd: false, quietSince: null, cutter };
}

function kindOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return 'a directory';
  return stats.isFIFO() ? 'a named pipe' : 'a device or a socket';
}

async function statOrNull(path: string): Promise<BigIntStats | null> {
  return stat(path, { bigint: true }).catch(() => null);
}
