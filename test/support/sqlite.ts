import type Sqlite from 'better-sqlite3';
import { sqliteDriver } from '#adapters/sql/index.js';

/** The driver of the Node that runs: by its own name a package for another one would be found, or none. */
export const SqliteDatabase: typeof Sqlite = sqliteDriver();
