import { randomUUID } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { Unavailable } from '@rollcall/core';
import type { Database, Sql } from './database.js';

/**
 * A database that came out of a backup holds deliveries which the original has sent since. So each database is
 * told from its copies, and what waits in a copy is held: failed, with a reason, and sent when asked for.
 */
export interface Deployment {
  /** Whether the database was found to be a copy of the one that was served. */
  readonly isCopy: boolean;
  /** Deliveries that were held because of it. */
  readonly held: number;
  /** Notes outside of the database, where there is such a place, that deliveries were claimed. Never throws. */
  note(): Promise<void>;
  close(): void;
}

export interface AdoptDeployment {
  /** Of SQLite; null with PostgreSQL. */
  readonly file: string | null;
  readonly at: Date;
}

/** Of several instances one holds what waits. With SQLite only the holder of the sender's lock may ask. */
export async function adoptDeployment(
  database: Database,
  { file, at }: AdoptDeployment,
): Promise<Deployment> {
  if (file !== null) return adoptFile(database, { file, at });
  return { ...(await adoptServer(database, at)), note: async () => {}, close() {} };
}

/** Ends everything that waits or is under way as failed, for when nobody knows what was sent; says how many. */
export async function holdDeliveries({ write }: Pick<Database, 'write'>, at: Date): Promise<number> {
  return write((sql) => hold(sql, at));
}

async function hold(sql: Sql, at: Date): Promise<number> {
  await sql.run(
    `INSERT INTO attempts (delivery_id, number, started_at, outcome, reason)
    SELECT id,
      (SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE delivery_id = deliveries.id),
      ?, 'interrupted', 'held in a restored database: whether it was sent before is not known'
    FROM deliveries WHERE state IN ('pending', 'sending')`,
    [at],
  );
  const { changes } = await sql.run(
    `UPDATE deliveries SET state = 'failed', finished_at = ?, claim = NULL, claimed_at = NULL
    WHERE state IN ('pending', 'sending')`,
    [at],
  );
  return changes;
}

// ── PostgreSQL ─────────────────────────────────────────────────────────────────────────────────────────────

/** No dump brings these along: another server or database has others, and so has a row that was written again. */
const place = `(SELECT system_identifier FROM pg_control_system()) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`;

async function adoptServer({ write }: Database, at: Date): Promise<Pick<Deployment, 'isCopy' | 'held'>> {
  return write(async (sql) => {
    await sql.run('LOCK TABLE deployment IN EXCLUSIVE MODE');
    const known = await sql.all<{ is_here: boolean }>(
      `SELECT place = ${place} AND written_in = xmin::text AS is_here FROM deployment`,
    );
    if (known.length === 1 && known[0]?.is_here === true) return { isCopy: false, held: 0 };
    const isCopy = known.length > 0;
    const held = isCopy ? await hold(sql, at) : 0;
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
 * Beside the database stands which one it is, which file, and how often deliveries were claimed in it. A copy has
 * none or another; one that was put in the place of its original knows of fewer claims.
 */
interface Note {
  readonly id: string;
  readonly file: string;
  readonly claims: number;
}

async function adoptFile(
  { read, write }: Database,
  { file, at }: { readonly file: string; readonly at: Date },
): Promise<Deployment> {
  const row = await read.get<{ id: string; claims: number }>('SELECT id, claims FROM deployment');
  const inode = String(statSync(file, { bigint: true }).ino);
  const noted = readNote(file);
  const isKnown =
    row !== undefined && noted?.id === row.id && noted.file === inode && noted.claims <= row.claims;
  const current = isKnown ? row : { id: randomUUID(), claims: 0 };

  // The note comes first: were the row there without it, the next start would take the file for a copy.
  const descriptor = openNote(file);
  const noteClaims = (claims: number): void =>
    void writeSync(descriptor, noteText({ id: current.id, file: inode, claims }), 0);
  noteClaims(current.claims);
  fsyncSync(descriptor);
  const isCopy = row !== undefined && !isKnown;
  const held = isKnown
    ? 0
    : await write(async (sql) => {
        await sql.run('DELETE FROM deployment');
        await sql.run('INSERT INTO deployment (id, claims) VALUES (?, 0)', [current.id]);
        return isCopy ? hold(sql, at) : 0;
      });

  return {
    isCopy,
    held,
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

function openNote(file: string): number {
  try {
    return openSync(notePath(file), constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (cause) {
    throw new Unavailable('The file with the suffix .deployment beside the database can not be written.', {
      cause,
    });
  }
}

function notePath(file: string): string {
  return `${file}.deployment`;
}

/** Always as long, so that it is written over. */
function noteText({ id, file, claims }: Note): string {
  return `${id} ${file.padStart(20, '0')} ${String(claims).padStart(16, '0')}\n`;
}

function readNote(file: string): Note | null {
  try {
    const [id = '', inode = '', claims = ''] = readFileSync(notePath(file), 'utf8').trim().split(' ');
    return { id, file: String(BigInt(inode)), claims: Number(claims) };
  } catch {
    return null;
  }
}
