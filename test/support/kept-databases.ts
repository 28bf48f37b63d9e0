import type { Database, Sql } from '#adapters/sql/index.js';
import { type KeptLoader, withLoader } from './kept-loader.js';

/** An empty database with its open connections, which later tests use too: opening them takes longer than most tests. */
export interface KeptDatabase {
  readonly database: Database;
  readonly loader: KeptLoader | null;
  /** Whether nothing uses the database any more, so that the next test can have its connections. */
  isIdle(): Promise<boolean>;
  /** Removes all rows that a new database does not have. */
  empty(): Promise<void>;
  /** Closes it, after a test that left it empty. */
  close(): Promise<void>;
  /** Closes it, after a test that has left work or rows. */
  discard(): Promise<void>;
}

export interface EmptyDatabase {
  readonly database: Database;
  stop(): Promise<void>;
}

/** How long the connections of an unused database stay open. Until then the process does not end. */
const MAX_UNUSED_MS = 300;

/**
 * Lends migrated, empty databases, and lends each again when its test has stopped it. Only for tests that change rows,
 * but not the schema, the roles or the settings.
 */
export function keptDatabases(open: () => Promise<KeptDatabase>): {
  start(): Promise<EmptyDatabase>;
  closeUnused(): Promise<void>;
} {
  /** With the timers that close them. */
  const unused = new Map<KeptDatabase, NodeJS.Timeout>();
  const takeUnused = (): KeptDatabase | undefined => {
    const [found] = unused;
    if (found === undefined) return undefined;
    const [kept, timer] = found;
    clearTimeout(timer);
    unused.delete(kept);
    return kept;
  };
  const keep = (kept: KeptDatabase): void => {
    const timer = setTimeout(() => {
      unused.delete(kept);
      void kept.close();
    }, MAX_UNUSED_MS);
    unused.set(kept, timer);
  };
  return {
    async start() {
      const kept = takeUnused() ?? (await open());
      const use = revocable(kept);
      return {
        database: use.database,
        async stop() {
          use.revoke();
          if (use.isClosed() || !(await kept.isIdle())) return kept.discard();
          await kept.empty();
          keep(kept);
        },
      };
    },
    async closeUnused() {
      for (let kept = takeUnused(); kept !== undefined; kept = takeUnused()) await kept.close();
    },
  };
}

/** The database until it is revoked: work that a test has left running cannot reach the data of the next one. */
function revocable({ database, loader }: KeptDatabase): {
  readonly database: Database;
  readonly isClosed: () => boolean;
  readonly revoke: () => void;
} {
  let isRevoked = false;
  let isClosed = false;
  const checked = <Method extends (...given: never[]) => unknown>(method: Method): Method =>
    ((...given: Parameters<Method>) => {
      if (isRevoked) throw new Error('the test of this database has ended');
      return method(...given);
    }) as Method;
  const checkedSql = ({ all, rows, get, run }: Sql): Sql => ({
    all: checked(all),
    rows: checked(rows),
    get: checked(get),
    run: checked(run),
  });
  const revocableDatabase: Database = {
    ...database,
    read: checkedSql(database.read),
    readAside: (organizationId) => checkedSql(database.readAside(organizationId)),
    write: checked(database.write),
    snapshot: checked(database.snapshot),
    bulk: checked(database.bulk),
    migrate: checked(database.migrate),
    async close() {
      isClosed = true;
      await database.close();
    },
  };
  return {
    database: loader === null ? revocableDatabase : withLoader(revocableDatabase, checked(loader.load)),
    isClosed: () => isClosed,
    revoke: () => {
      isRevoked = true;
    },
  };
}
