import type Sqlite from 'better-sqlite3';
import { sqliteDriver } from '#adapters/sql/index.js';

/** The driver for the current Node.js. Importing the package by its name could find the one for another version. */
export const SqliteDatabase: typeof Sqlite = sqliteDriver();
