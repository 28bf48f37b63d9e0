import { Unavailable } from '@rollcall/core';
import SqliteDatabase from 'better-sqlite3';

/**
 * One SQLite file with a schema of this service's own: its names differ from those of the core on purpose. Times are
 * milliseconds since 1970, and booleans are 0 or 1.
 */
export interface Database {
  readonly file: string;
  /** The first row, or null. */
  get<Row>(text: string, ...values: readonly Value[]): Row | null;
  /** The first row. Throws if there is none. */
  one<Row>(text: string, ...values: readonly Value[]): Row;
  all<Row>(text: string, ...values: readonly Value[]): readonly Row[];
  /** Counts the rows of a query, which is given from its FROM on. */
  count(text: string, ...values: readonly Value[]): number;
  /** Returns the number of changed rows. */
  run(text: string, ...values: readonly Value[]): number;
  /**
   * Commits all or nothing, without other writers in between. Throws `Unavailable` if another writer takes too long.
   */
  transaction<Result>(work: () => Result): Result;
  /** Runs reads only, all from one snapshot. */
  snapshot<Result>(work: () => Result): Result;
  close(): void;
}

export type Value = string | number | null;

/** How long a writer waits for another one. Meanwhile the whole process is blocked. */
const LOCK_TIMEOUT_MS = 500;

/** Opens the file, and creates the tables in a new one. */
export function openDatabase(file: string, timeoutMs: number = LOCK_TIMEOUT_MS): Database {
  const sqlite = new SqliteDatabase(file, { timeout: timeoutMs });
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.exec(TABLES);
  const get = <Row>(text: string, ...values: readonly Value[]): Row | null =>
    orUnavailable(() => sqlite.prepare<Value[], Row>(text).get(...values) ?? null);
  return {
    file,
    get,
    one: <Row>(text: string, ...values: readonly Value[]) => get<Row>(text, ...values) ?? noRow(text),
    all: <Row>(text: string, ...values: readonly Value[]) =>
      orUnavailable(() => sqlite.prepare<Value[], Row>(text).all(...values)),
    count: (text, ...values) =>
      orUnavailable(() =>
        Number(
          sqlite
            .prepare(`SELECT count(*) ${text}`)
            .pluck()
            .get(...values),
        ),
      ),
    run: (text, ...values) => orUnavailable(() => sqlite.prepare(text).run(...values).changes),
    transaction: (work) => orUnavailable(() => sqlite.transaction(work).immediate()),
    snapshot: (work) => orUnavailable(() => sqlite.transaction(work).deferred()),
    close: () => sqlite.close(),
  };
}

/** A busy database is not a bug: the core passes `Unavailable` on, and the server responds with 503. */
function orUnavailable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const isBusy = error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY');
    throw isBusy ? new Unavailable('The database is busy', { retryAfter: 1, cause: error }) : error;
  }
}

function noRow(text: string): never {
  throw new Error(`No row was returned by ${text}`);
}

export function timestampOrNull(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds);
}

const TABLES = `
  CREATE TABLE IF NOT EXISTS companies (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, wellness INTEGER NOT NULL, zone TEXT,
    key_digest TEXT UNIQUE, key_version INTEGER NOT NULL DEFAULT 0, key_made INTEGER, key_used INTEGER,
    old_key_digest TEXT, old_key_version INTEGER, old_key_until INTEGER, old_key_used INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS people (
    id INTEGER PRIMARY KEY, public_id TEXT NOT NULL, mail TEXT NOT NULL UNIQUE, given TEXT NOT NULL,
    family TEXT NOT NULL, picture TEXT, password TEXT, joined INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS staff (
    company INTEGER NOT NULL REFERENCES companies, person INTEGER NOT NULL REFERENCES people,
    public_id TEXT NOT NULL, rank TEXT NOT NULL, login TEXT, hired INTEGER NOT NULL,
    PRIMARY KEY (company, person), UNIQUE (company, login), UNIQUE (company, public_id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS invites (
    id TEXT PRIMARY KEY, signed_with TEXT NOT NULL, company INTEGER NOT NULL REFERENCES companies,
    public_id TEXT NOT NULL, login TEXT, mail TEXT NOT NULL, given TEXT NOT NULL, family TEXT NOT NULL,
    sent INTEGER NOT NULL, sent_by TEXT NOT NULL, accepted INTEGER, withdrawn INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS open_invites
    ON invites (company, mail) WHERE accepted IS NULL AND withdrawn IS NULL;
  CREATE TABLE IF NOT EXISTS door_codes (
    digest TEXT PRIMARY KEY, company INTEGER NOT NULL, person INTEGER NOT NULL,
    made INTEGER NOT NULL, ends INTEGER NOT NULL, used INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS visits (
    digest TEXT PRIMARY KEY, person INTEGER NOT NULL REFERENCES people, company INTEGER,
    began INTEGER NOT NULL, seen INTEGER NOT NULL, device TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS spare_keys (
    digest TEXT PRIMARY KEY, person INTEGER NOT NULL REFERENCES people, ends INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS postcards (
    id INTEGER PRIMARY KEY AUTOINCREMENT, about TEXT NOT NULL, company INTEGER, invite TEXT,
    mail TEXT NOT NULL, made INTEGER NOT NULL, due INTEGER NOT NULL, taker TEXT, tries INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS almanacs (
    digest TEXT NOT NULL UNIQUE, company INTEGER NOT NULL, person INTEGER NOT NULL, made INTEGER NOT NULL,
    PRIMARY KEY (company, person)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS errands (
    company INTEGER NOT NULL REFERENCES companies, kind TEXT NOT NULL, word TEXT NOT NULL,
    request TEXT NOT NULL, runner TEXT NOT NULL, began INTEGER NOT NULL, reply TEXT,
    PRIMARY KEY (company, kind, word)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS sittings (
    id INTEGER PRIMARY KEY, company INTEGER REFERENCES companies, begins INTEGER NOT NULL,
    ends INTEGER NOT NULL, state TEXT NOT NULL, wellness INTEGER NOT NULL, queueing INTEGER NOT NULL,
    leader INTEGER REFERENCES people, places INTEGER NOT NULL, facts TEXT NOT NULL,
    changed INTEGER NOT NULL, seats_of_nobody INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS sittings_in_order ON sittings (company, begins, id);
  CREATE TABLE IF NOT EXISTS guests (
    sitting INTEGER NOT NULL REFERENCES sittings, company INTEGER NOT NULL REFERENCES companies,
    PRIMARY KEY (sitting, company)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sightings (
    company INTEGER NOT NULL REFERENCES companies, sitting INTEGER NOT NULL, moved INTEGER NOT NULL,
    gone INTEGER NOT NULL, PRIMARY KEY (company, sitting)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS sightings_in_order ON sightings (company, moved, sitting);
  CREATE TABLE IF NOT EXISTS rounds (number INTEGER NOT NULL) STRICT;
  INSERT INTO rounds SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM rounds);
  CREATE TABLE IF NOT EXISTS seats (
    sitting INTEGER NOT NULL REFERENCES sittings, person INTEGER NOT NULL REFERENCES people,
    taken INTEGER NOT NULL, PRIMARY KEY (person, sitting)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS seats_of_sitting ON seats (sitting);
  CREATE TABLE IF NOT EXISTS queue (
    sitting INTEGER NOT NULL REFERENCES sittings, person INTEGER NOT NULL REFERENCES people,
    standing TEXT NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (person, sitting)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS hooks (
    id INTEGER PRIMARY KEY, company INTEGER NOT NULL UNIQUE REFERENCES companies, url TEXT,
    live INTEGER NOT NULL, topics TEXT NOT NULL, secret TEXT NOT NULL,
    secret_before TEXT, used_until INTEGER, made INTEGER NOT NULL, changed INTEGER NOT NULL,
    misses INTEGER NOT NULL DEFAULT 0, missing_since INTEGER, arrived INTEGER, warned INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS letters (
    id INTEGER PRIMARY KEY, company INTEGER NOT NULL, event TEXT NOT NULL UNIQUE, topic TEXT NOT NULL,
    body TEXT NOT NULL, made INTEGER NOT NULL, trial INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'pending', ended INTEGER,
    holder TEXT, held INTEGER, holds INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0,
    about_nobody INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS notices (
    number INTEGER PRIMARY KEY AUTOINCREMENT, company INTEGER NOT NULL, event TEXT NOT NULL, topic TEXT NOT NULL,
    body TEXT NOT NULL, made INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS notices_in_order ON notices (company, number);
  CREATE INDEX IF NOT EXISTS letters_by_state ON letters (state, company);
  CREATE TABLE IF NOT EXISTS sendings (
    id INTEGER PRIMARY KEY, letter INTEGER NOT NULL REFERENCES letters, began INTEGER NOT NULL,
    took INTEGER, outcome TEXT NOT NULL, phase TEXT, status INTEGER, reason TEXT NOT NULL, texts TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS sendings_of_letter ON sendings (letter);
  CREATE TABLE IF NOT EXISTS diary (
    id INTEGER PRIMARY KEY, company INTEGER NOT NULL, happened INTEGER NOT NULL, who TEXT NOT NULL, place TEXT,
    deed TEXT NOT NULL, subject TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS diary_in_order ON diary (company, happened, id);
`;
