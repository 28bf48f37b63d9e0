import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A file in the folder of the followed one, whose name begins with its name. */
export interface RotatedFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

const COMPRESSED = /\.(gz|bz2|xz|zst|lz4|Z)$/;

/** Regular files only: opening a named pipe would wait for its writer. The file itself is not among them. */
export async function rotatedFiles(file: string): Promise<readonly RotatedFile[]> {
  const folder = dirname(file);
  const own = basename(file);
  const names = await readdir(folder).catch(() => []);
  const found: RotatedFile[] = [];
  for (const name of names.filter((other) => other !== own && other.startsWith(own)).sort()) {
    const path = join(folder, name);
    const stats = await stat(path, { bigint: true }).catch(() => null);
    if (stats?.isFile() === true) found.push({ path, stats });
  }
  return found;
}

/** The files that were followed after one file and before another. */
export interface Between {
  /** In the order in which they were written. */
  readonly inOrder: readonly RotatedFile[];
  /** Those that cannot be read: they are compressed, or their order is unknown. */
  readonly unreadable: readonly RotatedFile[];
}

/**
 * Orders files by the time when they were created, which renaming keeps, or by the time of their last change where the
 * file system does not know the former.
 */
export function filesBetween(
  files: readonly RotatedFile[],
  { after, before }: { readonly after: BigIntStats; readonly before: BigIntStats },
): Between {
  const filled = files.filter(({ stats }) => stats.size > 0n && ![after.ino, before.ino].includes(stats.ino));
  const plain = filled.filter(({ path }) => !COMPRESSED.test(path));
  const hasBirth = [after, before, ...plain.map(({ stats }) => stats)].every(
    ({ birthtimeNs }) => birthtimeNs > 0n,
  );
  const timeOf = (stats: BigIntStats): bigint => (hasBirth ? stats.birthtimeNs : stats.mtimeNs);
  const inOrder = plain
    .filter(({ stats }) => timeOf(stats) >= timeOf(after) && timeOf(stats) <= timeOf(before))
    .sort((one, other) => (timeOf(one.stats) < timeOf(other.stats) ? -1 : 1));
  const times = [after, ...inOrder.map(({ stats }) => stats), before].map(timeOf);
  const isOrderKnown = inOrder.length === 0 || times.every((time, index) => time !== times[index + 1]);
  // A compressed file is created later than its content, but keeps the time of its last change.
  const compressed = filled.filter(
    ({ path, stats }) =>
      COMPRESSED.test(path) && stats.mtimeNs > after.mtimeNs && stats.mtimeNs <= before.mtimeNs,
  );
  if (isOrderKnown) return { inOrder, unreadable: compressed };
  return { inOrder: [], unreadable: [...inOrder, ...compressed] };
}
