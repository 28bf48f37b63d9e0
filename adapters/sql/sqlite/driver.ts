import { createRequire } from 'node:module';
import type SqliteDatabase from 'better-sqlite3';

const requireHere = createRequire(import.meta.url);

export type SqliteDriver = typeof SqliteDatabase;

/** This installation has no driver for SQLite that this Node can load. */
export class SqliteDriverMissing extends Error {
  override readonly name = 'SqliteDriverMissing';
}

/**
 * The name of the driver's package for a version of Node. The driver for Node 20 crashes Node 24.16 and later when a
 * statement is garbage-collected. The driver for Node 22 and later crashes Node 20 when it is loaded.
 */
export function sqliteDriverPackage(nodeVersion: string): string {
  return Number.parseInt(nodeVersion, 10) < 22 ? '@rollcall/sqlite-node20' : 'better-sqlite3';
}

/** Loads the driver on demand, because it may be missing when only PostgreSQL is used. Throws `SqliteDriverMissing`. */
export function sqliteDriver(): SqliteDriver {
  const { node } = process.versions;
  const name = sqliteDriverPackage(node);
  try {
    return requireHere(installedDriver(node)) as SqliteDriver;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new SqliteDriverMissing(
      `The driver for SQLite (${name}) can't be loaded with Node ${node}: ${reason}. ` +
        `In your own program, run "npm install ${installableDriver(node)}". In a clone of Rollcall, run ` +
        '"npm ci --foreground-scripts" with this Node and without --omit=optional, which shows what fails. Or use PostgreSQL.',
    );
  }
}

/** What a program that has no driver can install from the registry. */
function installableDriver(nodeVersion: string): string {
  return Number.parseInt(nodeVersion, 10) < 22 ? 'better-sqlite3@12.9.0' : 'better-sqlite3@13';
}

/** With Node 20, a program that uses this package may have installed a suitable version of `better-sqlite3` itself. */
function installedDriver(nodeVersion: string): string {
  const wanted = sqliteDriverPackage(nodeVersion);
  if (wanted === 'better-sqlite3' || canResolve(wanted)) return wanted;
  const { version } = requireHere('better-sqlite3/package.json') as { readonly version: string };
  if (Number.parseInt(version, 10) >= 13) throw new Error(`better-sqlite3 ${version} needs Node 22`);
  return 'better-sqlite3';
}

function canResolve(name: string): boolean {
  try {
    requireHere.resolve(name);
    return true;
  } catch {
    return false;
  }
}
