import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { Unavailable } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { sqliteDriver } from '../sqlite/driver.js';
import { holdSenderLock } from '../sqlite/sender-lock.js';
import { holdWaiting } from '../stores/outbox.js';

/**
 * A database that was restored from a backup has waiting deliveries that the original has sent since. So each database is
 * distinguished from its copies, and the waiting deliveries of a copy are held until an operator decides about them. A
 * database that was moved goes on.
 */
export interface Deployment {
  /** Whether the database was found to be an older state, or a copy, of one that went on. */
  readonly isCopy: boolean;
  /** Deliveries that were held because of it. */
  readonly held: number;
  /** Where it was served before, if that is another place; null for a copy, and with PostgreSQL. */
  readonly movedFrom: string | null;
  /** Notes outside of the database, where there is such a place, that deliveries were claimed. Never throws. */
  note(): Promise<void>;
  close(): void;
}

export interface AdoptDeployment {
  /** Of SQLite; null with PostgreSQL. */
  readonly file: string | null;
}

/** Of several instances one holds what waits. With SQLite only the holder of the sender's lock may ask. */
export async function adoptDeployment(database: Database, { file }: AdoptDeployment): Promise<Deployment> {
  if (file !== null) return adoptFile(database, file);
  return { ...(await adoptServer(database)), movedFrom: null, note: async () => {}, close() {} };
}

/** Has what waits in this database held at its next start, as a copy of it goes on elsewhere. */
export async function leaveDeployment({ engine, write }: Pick<Database, 'engine' | 'write'>): Promise<void> {
  await write(async (sql) => {
    await sql.run('DELETE FROM deployment');
    // What nothing agrees with: neither a note beside the file, nor the server and the transaction that wrote it.
    if (engine === 'sqlite')
      await sql.run('INSERT INTO deployment (id, claims) VALUES (?, 0)', [randomUUID()]);
    else await sql.run(`INSERT INTO deployment (place, written_in) VALUES ('left', 'left')`);
  });
}

// ── PostgreSQL ─────────────────────────────────────────────────────────────────────────────────────────────

/** No dump brings these along: another server or database has others, and so has a row that was written again. */
const place = `(SELECT system_identifier FROM pg_control_system()) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`;

async function adoptServer({ write }: Database): Promise<Pick<Deployment, 'isCopy' | 'held'>> {
  return write(async (sql) => {
    await sql.run('LOCK TABLE deployment IN EXCLUSIVE MODE');
    const known = await sql.all<{ is_here: boolean }>(
      `SELECT place = ${place} AND written_in = xmin::text AS is_here FROM deployment`,
    );
    if (known.length === 1 && known[0]?.is_here === true) return { isCopy: false, held: 0 };
    const isCopy = known.length > 0;
    const held = isCopy ? await holdWaiting(sql) : 0;
    await sql.run('DELETE FROM deployment');
    // As `xmin` shows it: without what counts its turns.
    await sql.run(
      `INSERT INTO deployment (place, written_in) SELECT ${place}, (txid_current() % 4294967296)::text`,
    );
    return { isCopy, held };
  });
}

// ── SQLite ─────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Beside the database stands which one it is, and how often deliveries were claimed in it; the database says the same,
 * and where it was served last. A backup lies beside no such note, or knows of fewer claims than the note. A folder
 * that was moved or copied whole agrees with its note: it goes on, unless the place that it came from does.
 */
interface Note {
  readonly id: string;
  /** Of the release before this one: which file it is. */
  readonly inode: string;
  readonly claims: number;
}

interface DeploymentRow {
  readonly id: string;
  readonly claims: number;
  /** Null: the release before this one served it. */
  readonly path: string | null;
}

/** More claims than there can be: a service that finds this in the note holds the waiting deliveries. */
const LEFT = Number.MAX_SAFE_INTEGER;

async function adoptFile({ read, write }: Database, file: string): Promise<Deployment> {
  const here = realpathSync(file);
  const row = await read.get<DeploymentRow>('SELECT id, claims, path FROM deployment');
  const noted = readNote(here);
  const isWhole = row !== undefined && noted?.id === row.id && noted.claims <= row.claims;
  const goesOn = isWhole && (await leaves(row, here));
  const isCopy = row !== undefined && !goesOn;
  const current = goesOn ? row : { id: randomUUID(), claims: 0, path: null };

  // The note comes first: were the row there without it, the next start would take the file for a copy.
  const descriptor = openNote(here);
  const inode = String(statSync(here, { bigint: true }).ino);
  const noteClaims = (claims: number): void =>
    void writeSync(descriptor, noteText({ id: current.id, inode, claims }), 0);
  noteClaims(current.claims);
  fsyncSync(descriptor);
  const held = await write(async (sql) => {
    if (goesOn) {
      if (row.path !== here) await sql.run('UPDATE deployment SET path = ?', [here]);
      return 0;
    }
    await sql.run('DELETE FROM deployment');
    await sql.run('INSERT INTO deployment (id, claims, path) VALUES (?, 0, ?)', [current.id, here]);
    return isCopy ? holdWaiting(sql) : 0;
  });

  return {
    isCopy,
    held,
    movedFrom: current.path === null || current.path === here ? null : current.path,
    async note() {
      try {
        const now = await read.get<{ claims: number }>('SELECT claims FROM deployment');
        if (now !== undefined) noteClaims(now.claims);
      } catch {
        // The next one tells it as well.
      }
    },
    close: () => closeSync(descriptor),
  };
}

/**
 * Whether this database goes on here, and not where it was served before: that place is empty or another database's,
 * or stands still and is told that it was left, so that one of the two sends what waits. False if this cannot be known.
 */
async function leaves({ id, claims, path }: DeploymentRow, here: string): Promise<boolean> {
  if (path === null || path === here || !existsSync(path)) return true;
  if (isSameFile(path, here)) return true;
  let lock: Awaited<ReturnType<typeof holdSenderLock>> = null;
  try {
    if (claimsOf(path, id) === null) return true;
    lock = await holdSenderLock(path);
    return lock !== null && (claimsOf(path, id) ?? 0) <= claims && markLeft(path);
  } catch {
    return false;
  } finally {
    lock?.release();
  }
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { bigint: true }));
  return a?.ino === b?.ino && a?.dev === b?.dev;
}

/** How often deliveries were claimed in that file; null: it is no database, or not the one with this id. */
function claimsOf(file: string, id: string): number | null {
  const Driver = sqliteDriver();
  const database = new Driver(file, { readonly: true, timeout: 1_000 });
  try {
    const row = database.prepare('SELECT claims FROM deployment WHERE id = ?').get(id);
    return row === undefined ? null : (row as { readonly claims: number }).claims;
  } catch (error) {
    // No database at all, or none of ours.
    if (error instanceof Driver.SqliteError && /^SQLITE_(ERROR|NOTADB)/.test(error.code)) return null;
    throw error;
  } finally {
    database.close();
  }
}

/** False: the note can't be written. */
function markLeft(file: string): boolean {
  const noted = readNote(file);
  // Without a note what waits is held anyway.
  if (noted === null) return true;
  try {
    const descriptor = openNote(file);
    writeSync(descriptor, noteText({ ...noted, claims: LEFT }), 0);
    fsyncSync(descriptor);
    closeSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

function openNote(file: string): number {
  try {
    return openSync(notePath(file), constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (cause) {
    throw new Unavailable('The file with the suffix .deployment beside the database cannot be written.', {
      cause,
    });
  }
}

function notePath(file: string): string {
  return `${file}.deployment`;
}

/** Always as long, so that it is written over. */
function noteText({ id, inode, claims }: Note): string {
  return `${id} ${inode.padStart(20, '0')} ${String(claims).padStart(16, '0')}\n`;
}

function readNote(file: string): Note | null {
  try {
    const [id = '', inode = '', claims = ''] = readFileSync(notePath(file), 'utf8').trim().split(' ');
    return { id, inode: String(BigInt(inode)), claims: Number(claims) };
  } catch {
    return null;
  }
}
