import type { Database } from './database.js';
import { selectOnly } from './statements.js';

/** Reads the current time of PostgreSQL, which may differ from this machine's. */
export async function databaseTime({ read }: Pick<Database, 'read'>): Promise<Date> {
  const { now } = await selectOnly<{ now: string }>(read)`SELECT clock_timestamp() AS now`;
  return new Date(now);
}
