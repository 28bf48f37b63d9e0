import { utimesSync, watch } from 'node:fs';
import type { News } from '../engine/database.js';
import { makeOwnFile } from './files.js';

/**
 * A process that tells touches a file beside the database, and a process that listens watches it. Watching the database
 * itself would cost time with each write of this process, and on macOS it would end the locks that this process holds.
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
