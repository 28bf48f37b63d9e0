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
import { execute } from '../engine/statements.js';
import { DATABASE_IDENTITY } from '../postgres/replica.js';
import { sqliteDriver } from '../sqlite/driver.js';
import { holdSenderLock } from '../sqlite/sender-lock.js';
import { cutHistory } from '../stores/meeting-clock.js';
import { HELD_AT_ONCE, holdWaiting } from '../stores/outbox.js';

/**
 * A database restored from a backup has waiting deliveries that the original has sent since. Therefore each database is
 * distinguished from its copies, and the waiting deliveries of a copy are held until an operator decides about them. A
 * moved database continues to send.
 */
export interface Deployment {
  /** Whether the database is an older state or a copy of a database that continued. */
  readonly isCopy: boolean;
  /** The number of deliveries that were held because of that. */
  readonly held: number;
  /** The path where it was served before, if that differs. Null for a copy, and with PostgreSQL. */
  readonly movedFrom: string | null;
  /** With SQLite, writes the number of claims into the file beside the database. Never throws. */
  recordClaims(): Promise<void>;
  close(): void;
}

/**
 * Recognizes the database, and holds the waiting deliveries of a copy. Of several instances, one does so. With SQLite,
 * the caller must hold the sender's lock. `file`: the database file of SQLite; null with PostgreSQL.
 */
export async function adoptDeployment(
  database: Database,
  { file }: { readonly file: string | null },
): Promise<Deployment> {
  if (file !== null) return adoptFile(database, file);
  return { ...(await adoptServer(database)), movedFrom: null, recordClaims: async () => {}, close() {} };
}

/** Makes the next start of this database hold its waiting deliveries, because a copy of it continues elsewhere. */
export async function retireDeployment({ engine, write }: Pick<Database, 'engine' | 'write'>): Promise<void> {
  await write(async (sql) => {
    await sql.run('DELETE FROM deployment');
    // These values match nothing: neither a note beside the file, nor the server and the transaction that wrote them.
    if (engine === 'sqlite')
      await execute(sql)`INSERT INTO deployment (id, claims) VALUES (${randomUUID()}, 0)`;
    else await sql.run(`INSERT INTO deployment (place, written_in) VALUES ('left', 'left')`);
  });
}

// ── PostgreSQL ─────────────────────────────────────────────────────────────────────────────────────────────

async function adoptServer(database: Database): Promise<Pick<Deployment, 'isCopy' | 'held'>> {
  for (let held = 0; ; ) {
    const adopted = await adoptOrHold(database);
    held += adopted.held;
    if (adopted.isDone) return { isCopy: adopted.isCopy, held };
  }
}

/**
 * Holds some of the waiting deliveries of a copy, and adopts it with the last of them. Other instances wait meanwhile, and
 * the first one to adopt it serves at once, so each step looks again whether it is still a copy.
 */
async function adoptOrHold({
  write,
}: Database): Promise<Pick<Deployment, 'isCopy' | 'held'> & { readonly isDone: boolean }> {
  return write(async (sql) => {
    await sql.run('LOCK TABLE deployment IN EXCLUSIVE MODE');
    // A rewritten row has another `xmin`.
    const rows = await sql.all<{ is_here: boolean }>(
      `SELECT place = ${DATABASE_IDENTITY} AND written_in = xmin::text AS is_here FROM deployment`,
    );
    if (rows.length === 1 && rows[0]?.is_here === true) return { isCopy: false, held: 0, isDone: true };
    const isCopy = rows.length > 0;
    const held = isCopy ? await holdWaiting(sql, HELD_AT_ONCE) : 0;
    if (held === HELD_AT_ONCE) return { isCopy, held, isDone: false };
    if (isCopy) await cutHistory(sql);
    await sql.run('DELETE FROM deployment');
    // In the form of `xmin`: without the epoch.
    await sql.run(
      `INSERT INTO deployment (place, written_in) SELECT ${DATABASE_IDENTITY}, (txid_current() % 4294967296)::text`,
    );
    return { isCopy, held, isDone: true };
  });
}

// ── SQLite ─────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A note in a file beside the database holds the database's id and how often deliveries were claimed. The database
 * stores the same, and the path where it was last served. A backup has no note beside it, or fewer claims than the
 * note. A folder that was moved or copied as a whole matches its note, and the database in it continues unless the one
 * at the previous path does.
 */
interface Note {
  readonly id: string;
  readonly claims: number;
}

interface DeploymentRow {
  readonly id: string;
  readonly claims: number;
  readonly path: string;
}

/** More claims than are possible. A service that finds this in the note holds the waiting deliveries. */
const CLAIMS_OF_ABANDONED = Number.MAX_SAFE_INTEGER;

async function adoptFile({ read, write }: Database, file: string): Promise<Deployment> {
  const here = realpathSync(file);
  const row = await read.get<DeploymentRow>('SELECT id, claims, path FROM deployment');
  const note = readNote(here);
  const matchesNote = row !== undefined && note?.id === row.id && note.claims <= row.claims;
  const continues = matchesNote && (await takesOver(row, here));
  const isCopy = row !== undefined && !continues;
  const current = continues ? row : { id: randomUUID(), claims: 0, path: here };

  // The note comes first. If only the row were written, the next start would take the file for a copy.
  const descriptor = openNote(here);
  const noteClaims = (claims: number): void =>
    void writeSync(descriptor, noteText({ id: current.id, claims }), 0);
  noteClaims(current.claims);
  fsyncSync(descriptor);
  const held = await write(async (sql) => {
    if (continues) {
      if (row.path !== here) await execute(sql)`UPDATE deployment SET path = ${here}`;
      return 0;
    }
    await sql.run('DELETE FROM deployment');
    await execute(sql)`INSERT INTO deployment (id, claims, path) VALUES (${current.id}, 0, ${here})`;
    if (!isCopy) return 0;
    await cutHistory(sql);
    return holdWaiting(sql);
  });

  return {
    isCopy,
    held,
    movedFrom: current.path === here ? null : current.path,
    async recordClaims() {
      try {
        const current = await read.get<{ claims: number }>('SELECT claims FROM deployment');
        if (current !== undefined) noteClaims(current.claims);
      } catch {
        // The next call writes the current number.
      }
    },
    close: () => closeSync(descriptor),
  };
}

/**
 * Whether this database continues here and not at its previous path: that path has no database or a different one, or
 * its database is not served. That one is then marked as abandoned, so that only one of the two sends the waiting
 * deliveries. False if this cannot be known.
 */
async function takesOver({ id, claims, path }: DeploymentRow, here: string): Promise<boolean> {
  if (path === here || !existsSync(path)) return true;
  if (isSameFile(path, here)) return true;
  let lock: Awaited<ReturnType<typeof holdSenderLock>> = null;
  try {
    if (claimsOf(path, id) === null) return true;
    lock = await holdSenderLock(path);
    return lock !== null && (claimsOf(path, id) ?? 0) <= claims && markAbandoned(path);
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

/** How often deliveries were claimed in that file. Null when it is not the database with this id. */
function claimsOf(file: string, id: string): number | null {
  const Driver = sqliteDriver();
  const database = new Driver(file, { readonly: true, timeout: 1_000 });
  try {
    const row = database.prepare('SELECT claims FROM deployment WHERE id = ?').get(id);
    return row === undefined ? null : (row as { readonly claims: number }).claims;
  } catch (error) {
    // Not a database, or not one of Rollcall.
    if (error instanceof Driver.SqliteError && /^SQLITE_(ERROR|NOTADB)/.test(error.code)) return null;
    throw error;
  } finally {
    database.close();
  }
}

/** Returns false when the note can't be written. */
function markAbandoned(file: string): boolean {
  const note = readNote(file);
  // Without a note, the waiting deliveries are held anyway.
  if (note === null) return true;
  try {
    const descriptor = openNote(file);
    writeSync(descriptor, noteText({ ...note, claims: CLAIMS_OF_ABANDONED }), 0);
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

/** The text always has the same length, so that it overwrites the previous one. */
function noteText({ id, claims }: Note): string {
  return `${id} ${String(claims).padStart(16, '0')}\n`;
}

function readNote(file: string): Note | null {
  try {
    const [id = '', claims = ''] = readFileSync(notePath(file), 'utf8').split(/\s/);
    return { id, claims: Number(claims) };
  } catch {
    return null;
  }
}
