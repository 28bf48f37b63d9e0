import { type Database, openDatabase } from '#adapters/sql/index.js';

/** An open database that a test has created. */
export interface OpenedDatabase {
  readonly database: Database;
  readonly url: string;
  /** Closes and removes it. */
  stop(): Promise<void>;
}

/** Opens a database that `remove` removes. */
export async function openedDatabase(url: string, remove: () => unknown): Promise<OpenedDatabase> {
  const database = await openDatabase(url);
  return {
    database,
    url,
    async stop() {
      await database.close();
      await remove();
    },
  };
}

/** Opens the database, does the work, and closes the database. */
export async function withDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
  options: Parameters<typeof openDatabase>[1] = {},
): Promise<Result> {
  const database = await openDatabase(url, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
