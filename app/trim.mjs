// Removes what no program reads from the packages of an installation for production, which is one without the compiler: half of
// what they take.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const unread = [
  // Source maps and declarations.
  /\.(?:map|d\.[cm]?ts)$/,
  // What the SQLite driver was compiled from, and what remains of that.
  /\/better-sqlite3\/(?:deps|src)\//,
  /\/better-sqlite3\/build\/(?!Release\/better_sqlite3\.node$)/,
  // The SQLite driver for other machines.
  new RegExp(`/better-sqlite3/prebuilds/(?!${process.platform}(?:musl)?-${process.arch}\\.)`),
];

if (!existsSync('node_modules/typescript'))
  // Links, which lead to the packages of this repository, are not followed.
  for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && unread.some((each) => each.test(path.replaceAll('\\', '/')))) rmSync(path);
  }
