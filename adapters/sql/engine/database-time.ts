import { type Database, only } from './database.js';

/** Reads the current time of PostgreSQL, which may differ from this machine's. */
export async function databaseTime({ read }: Pick<Database, 'read'>): Promise<Date> {
  const rows = await read.all<{ now: string }>('SELECT clock_timestamp() AS now');
  return new Date(only(rows).now);
}
