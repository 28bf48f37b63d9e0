import { csvText, sortKey, withoutAccents } from '@rollcall/core/adapters';
import type SqliteDatabase from 'better-sqlite3';

export type Connection = SqliteDatabase.Database;
type Statement = SqliteDatabase.Statement<unknown[], unknown>;
/** The role `aside` reads in another thread. */
export type Role = 'writer' | 'reader' | 'aside' | 'exporter' | 'loader';

/** Prepared statements of each connection. There are far fewer fixed texts; the others belong to pages. */
const MAX_STATEMENTS = 200;

/** A writer that starts the write-ahead log again cuts its file to this size. */
export const MAX_LOG_BYTES = 64 * 1024 * 1024;

const COMMON_PRAGMAS = ['busy_timeout = 0', 'foreign_keys = ON'];

/**
 * better-sqlite3 is built so that WAL means synchronous=NORMAL unless a connection sets it, although the pragma reads
 * FULL. Without this setting, a power cut could lose acknowledged writes.
 */
const WRITING_PRAGMAS = [
  ...['journal_mode = WAL', 'synchronous = FULL'],
  `journal_size_limit = ${MAX_LOG_BYTES}`,
];
const READING_PRAGMAS = ['synchronous = FULL', 'query_only = ON', 'temp_store = MEMORY'];

const PRAGMAS: Record<Role, readonly string[]> = {
  writer: [...COMMON_PRAGMAS, ...WRITING_PRAGMAS, 'cache_size = -16384', 'temp_store = MEMORY'],
  reader: [...COMMON_PRAGMAS, ...READING_PRAGMAS, 'cache_size = -32768'],
  // With half as much, a page in the middle of 100,000 meetings takes 1.4 times as long.
  aside: [...COMMON_PRAGMAS, ...READING_PRAGMAS, 'cache_size = -16384'],
  exporter: [...COMMON_PRAGMAS, ...READING_PRAGMAS, 'cache_size = -2048'],
  loader: [...COMMON_PRAGMAS, ...WRITING_PRAGMAS, 'cache_size = -65536', 'temp_store = FILE'],
};

/** Prepares a new connection for its role. Closes it if that fails. */
export function setUp(connection: Connection, role: Role): void {
  try {
    for (const pragma of PRAGMAS[role]) connection.pragma(pragma);
    for (const [name, run] of Object.entries(functions))
      connection.function(name, { deterministic: true, directOnly: true }, run);
  } catch (error) {
    connection.close();
    throw error;
  }
}

const functions = {
  matches_all: matchesAll,
  sort_key: (text: unknown) => sortKey(String(text)),
  csv_text: (text: unknown) => csvText(String(text)),
};

/** Implements `matches_all(text, patterns)`: whether the text without accents matches each pattern of a JSON array. */
function matchesAll(text: unknown, patterns: unknown): number {
  const plain = withoutAccents(String(text));
  return compiled(String(patterns)).every((pattern) => pattern.test(plain)) ? 1 : 0;
}

/** The patterns of the last search, because a search asks for every row. */
let latest: { readonly json: string; readonly patterns: readonly RegExp[] } = { json: '[]', patterns: [] };

function compiled(json: string): readonly RegExp[] {
  if (latest.json !== json) {
    const sources = JSON.parse(json) as readonly string[];
    latest = { json, patterns: sources.map((source) => new RegExp(source, 'u')) };
  }
  return latest.patterns;
}

type Prepared = WeakMap<Connection, Map<string, Statement>>;

const statements: Prepared = new WeakMap();
/** Statements that return rows as arrays. */
const rawStatements: Prepared = new WeakMap();

export function statement(connection: Connection, text: string): Statement {
  return preparedIn(statements, connection, text) ?? keep(statements, connection, text);
}

export function rawStatement(connection: Connection, text: string): Statement {
  return preparedIn(rawStatements, connection, text) ?? keep(rawStatements, connection, text).raw();
}

function preparedIn(kept: Prepared, connection: Connection, text: string): Statement | undefined {
  return kept.get(connection)?.get(text);
}

/** A clause of PostgreSQL that locks the rows of a SELECT. */
const LOCK = /\sFOR (?:UPDATE|NO KEY UPDATE|SHARE|KEY SHARE)(?: OF \w+)?(?: SKIP LOCKED)?/;

/**
 * Leaves out what only PostgreSQL needs. `+` keeps SQLite from planning a statement by the values of its parameters (`?`
 * stands for nothing else). In a database that was analyzed it would plan the statement again for each new value, which
 * can take longer than running it.
 */
function planned(text: string): string {
  return text.replace(LOCK, '').replaceAll('CAST(? AS timestamptz)', '?').replaceAll('?', '+?');
}

/** Prepares a statement and keeps it for the connection. The oldest one is dropped when there are too many. */
function keep(kept: Prepared, connection: Connection, text: string): Statement {
  const prepared = kept.get(connection) ?? new Map<string, Statement>();
  const fresh = connection.prepare(planned(text));
  const [oldest] = prepared.keys();
  if (prepared.size >= MAX_STATEMENTS && oldest !== undefined) prepared.delete(oldest);
  kept.set(connection, prepared.set(text, fresh));
  return fresh;
}
