import { join } from 'node:path';
import { openDatabase } from '#adapters/sql/index.js';
import { temporaryDirectory } from '../app-cli.js';
import { startPostgresUrl } from '../postgres.js';

/** Starts a migrated, empty database that several processes can open. */
export async function startMigrated(
  engine: 'postgres' | 'sqlite',
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  if (engine === 'postgres') return startPostgresUrl({ migrated: true });
  const directory = temporaryDirectory();
  const url = `sqlite:${join(directory.path, 'feed.db')}`;
  const database = await openDatabase(url);
  await database.migrate();
  await database.close();
  return { url, stop: async () => directory.remove() };
}
