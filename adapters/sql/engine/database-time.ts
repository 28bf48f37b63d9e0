import { type Database, only } from './database.js';

/** The database's own time. */
export async function databaseTime({ read }: Pick<Database, 'read'>): Promise<Date> {
  const rows = await read.all<{ now: string }>('SELECT clock_timestamp() AS now');
  return new Date(only(rows).now);
}
