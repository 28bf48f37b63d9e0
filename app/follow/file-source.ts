import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ImportPlace } from '@rollcall/sql/maintenance';
import { type FollowedLine, LineCutter, type LineSource } from './line-source.js';

export interface FollowFile {
  /** An absolute path. */
  readonly file: string;
  /** The place of the last run. Null for the beginning of the file. */
  readonly place: ImportPlace | null;
  /** Tells the operator what happens to the file. */
  readonly notice: (text: string) => void;
}

const MAX_PIECE_BYTES = 262_144;
/** The beginning of a file, by which it is recognized. */
const HEAD_BYTES = 1024;

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
  readonly cutter: LineCutter;
}

/**
 * The lines of a file that is being written. When the file is replaced (rotated), the rest of the old one is read first,
 * also if that happened since the last run and the old file is still in the same folder. When it is truncated, it is read
 * from its beginning. The file need not exist yet.
 */
export function fileSource({ file, place, notice }: FollowFile): LineSource {
  let current: OpenFile | null = null;
  let resumed: ImportPlace | null = place;
  let isMissing = false;

  /** Opens the file of the last run, or the file at the path. Null when there is none. */
  async function openNext(): Promise<OpenFile | null> {
    if (resumed !== null) {
      const before = resumed;
      const found = await findPlace(file, before);
      if (found !== null) {
        resumed = null;
        return found;
      }
      if (!(await exists(file))) return null;
      resumed = null;
      notice(
        `${file} is another file than before, and the rest of that one was not found. Reading from line 1; ` +
          `lines after line ${before.line} of the old file may be missing`,
      );
    }
    return openAt(file, { position: 0, line: 0 });
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

  /** Whether there is another file at the path. */
  async function isReplaced(of: OpenFile): Promise<boolean> {
    const now = await stat(file, { bigint: true }).catch(() => null);
    if (now === null || now.ino === of.inode) return false;
    notice(`${file} was replaced. Reading the new file`);
    return true;
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
        const isNew = await isTruncated(current);
        if (!isNew && (await fill(current))) continue;
        if (!isNew && !(await isReplaced(current))) break;
        // Something may have been written between the last read and the replacement.
        if (!isNew && (await fill(current))) continue;
        const rest = isNew ? null : current.cutter.rest();
        if (rest !== null) lines.push(lineOf(current, rest));
        await current.handle.close();
        current = null;
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

/** Reads the next bytes. Returns whether there were any. */
async function fill(of: OpenFile): Promise<boolean> {
  const { bytesRead, buffer } = await of.handle.read({
    buffer: Buffer.alloc(MAX_PIECE_BYTES),
    position: of.read,
  });
  of.isAtEnd = bytesRead === 0;
  if (of.isAtEnd) return false;
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
  const folder = dirname(file);
  const names = await readdir(folder).catch(() => []);
  const own = basename(file);
  for (const name of [own, ...names.filter((other) => other !== own && other.startsWith(own))]) {
    const found = await openAt(join(folder, name), place).catch(() => null);
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
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return null;
  const { ino: inode } = await handle.stat({ bigint: true });
  const length = Math.min(HEAD_BYTES, position);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: 0 });
  const head = buffer.subarray(0, bytesRead);
  return { handle, inode, head, read: position, position, line, isAtEnd: false, cutter: new LineCutter() };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
