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

/** Does not follow links, which lead to the packages of this repository. `recursive` would, from Node 22 on. */
function trim(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) trim(path);
    else if (entry.isFile() && unread.some((each) => each.test(path.replaceAll('\\', '/')))) rmSync(path);
  }
}

if (existsSync('node_modules') && !existsSync('node_modules/typescript')) trim('node_modules');
