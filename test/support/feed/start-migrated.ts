import { join } from 'node:path';
import { temporaryDirectory } from '../app-cli.js';
import { withDatabase } from '../opened-database.js';
import { startPostgresUrl } from '../postgres.js';

/** Starts a migrated, empty database that several processes can open. */
export async function startMigrated(
  engine: 'postgres' | 'sqlite',
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  if (engine === 'postgres') return startPostgresUrl({ migrated: true });
  const directory = temporaryDirectory();
  const url = `sqlite:${join(directory.path, 'feed.db')}`;
  await withDatabase(url, (database) => database.migrate());
  return { url, stop: async () => directory.remove() };
}
