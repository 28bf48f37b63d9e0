import { utimesSync, watch } from 'node:fs';
import type { News } from '../engine/database.js';
import { makeOwnFile } from './files.js';

/**
 * Who tells touches a file beside the database, and who listens watches it. Watching the database itself would cost
 * something with each write of this process, and on macOS it would end the locks that this process holds on it.
 */
export function newsBeside(database: string): News {
  const file = `${database}.news`;
  return {
    async tell() {},
    tellCommitted() {
      const now = new Date();
      try {
        utimesSync(file, now, now);
      } catch {
        // Nobody has ever listened.
      }
    },
    async listen({ heard, lost }) {
      makeOwnFile(file);
      const watcher = watch(file, { persistent: false }, (change) => {
        if (change === 'change') heard('');
        else lost(new Error(`${file} was moved or removed`));
      });
      watcher.on('error', lost);
      return watcher;
    },
  };
}
