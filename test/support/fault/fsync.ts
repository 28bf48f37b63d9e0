import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, type Sql } from '#adapters/sql/index.js';
import { SqliteDatabase } from '../sqlite.js';
import type { FaultReport } from './audit.js';
import { linesOf, registrations, temporaryDirectory, works } from './process.js';
import { type FaultSite, prepareSite } from './service.js';

const STRACE = ['strace', '-D', '-f', '-qq', '-e', 'trace=fsync,fdatasync'];

/** Whether this machine can trace system calls. */
export function canCountFsyncs(): Promise<boolean> {
  return works(['strace', '-qq', '-e', 'trace=fsync', process.execPath, '-e', '0']);
}

/** Counts the fsyncs of a process that registers `writes` people, one at a time. */
export async function countFsyncs({ writes }: { readonly writes: number }): Promise<FaultReport> {
  const site = await prepareSite();
  try {
    // The first start writes more than any later one.
    await fsyncsOf(site, { people: 0, prefix: 'idle' });
    const idle = await fsyncsOf(site, { people: 0, prefix: 'idle' });
    const busy = await fsyncsOf(site, { people: writes, prefix: 'person' });
    const spent = busy.fsyncs - idle.fsyncs;
    return {
      counts: {
        'acknowledged writes': busy.acknowledged,
        fsyncs: spent,
        'fsyncs without a write': idle.fsyncs,
      },
      problems: [
        ...(busy.acknowledged === writes ? [] : [`${busy.acknowledged} of ${writes} writes acknowledged`]),
        ...(spent >= busy.acknowledged ? [] : [`${spent} fsyncs for ${busy.acknowledged} writes`]),
      ],
    };
  } finally {
    await site.remove();
  }
}

async function fsyncsOf(
  site: FaultSite,
  { people, prefix }: { readonly people: number; readonly prefix: string },
): Promise<{ readonly fsyncs: number; readonly acknowledged: number }> {
  const file = join(site.directory, 'strace.txt');
  const under = [...STRACE, '-o', file];
  const child = site.spawnServe({ under, registering: { prefix, people, atOnce: 1, pauseMs: 0 } });
  await child.see(/^\.$/m);
  const { code, stderr } = await child.stop();
  if (code !== 0) throw new Error(`the child ended with ${code}: ${stderr}`);
  const calls = linesOf(readFileSync(file, 'utf8')).filter((line) => /\bf(?:data)?sync\(/.test(line));
  rmSync(file);
  return { fsyncs: calls.length, acknowledged: registrations([child]).acknowledged.size };
}

/**
 * The value of `PRAGMA synchronous` on the adapter's connection of each role after its first use: 2 is FULL. Before its
 * first use, a connection reports FULL even if it will not behave so. `default` is the value without any setting.
 */
export async function synchronousOfRoles(): Promise<Readonly<Record<string, number>>> {
  const { path, remove } = temporaryDirectory();
  const file = join(path, 'roles.db');
  const database = await openDatabase(`sqlite:${file}`);
  try {
    await database.migrate();
    const write = `INSERT INTO organizations (name, eap) VALUES ('Northwind', 0)`;
    await database.write((sql) => sql.run(write));
    await database.read.all('SELECT * FROM organizations');
    const snapshot = await database.snapshot();
    await snapshot.all('SELECT * FROM organizations');
    return {
      writer: await database.write(synchronous),
      reader: await synchronous(database.read),
      exporter: await synchronous(snapshot),
      loader: await database.bulk(async (bulk) => {
        await bulk.write(() => bulk.run(write));
        return synchronous(bulk);
      }),
      default: defaultLevel(file),
    };
  } finally {
    await database.close();
    remove();
  }
}

async function synchronous(sql: Sql): Promise<number> {
  const row = await sql.get<{ readonly synchronous: number }>('PRAGMA synchronous');
  return row?.synchronous ?? -1;
}

function defaultLevel(file: string): number {
  const connection = new SqliteDatabase(file);
  connection.prepare('SELECT * FROM organizations').all();
  const level = connection.pragma('synchronous', { simple: true });
  connection.close();
  return Number(level);
}
