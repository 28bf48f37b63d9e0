import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Client } from 'pg';
import { READ_ONLY, StandbyAway, UNREACHABLE, WAITS_FOR_STANDBY } from './errors.js';

const unconfirmed = new WeakSet<Client>();

/** Notices when the server says that it has stopped waiting for its synchronous standbys. Its text has many languages. */
export function watchConfirmations(connection: Client): void {
  connection.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') unconfirmed.add(connection);
  });
}

/** Whether a commit on this connection was not confirmed by the synchronous standbys. */
export function isUnconfirmed(connection: Client): boolean {
  return unconfirmed.has(connection);
}

/** Whether a commit has failed without showing that the standby is back, or that something else is in the way. */
function isUndecided(error: unknown): boolean {
  return error instanceof Unavailable && error.message !== READ_ONLY && error.message !== UNREACHABLE;
}

const PAUSE_MS = 250;

/**
 * Remembers that commits wait for a synchronous standby in vain. Until one is confirmed, writes are refused before they
 * begin: otherwise each would hold a connection for as long as it may wait, be stored after all, and be answered as failed.
 * `commit` commits something that has to be confirmed.
 */
export function standbyWatch(commit: () => Promise<unknown>) {
  let isAway = false;
  let isClosed = false;

  async function waitUntilBack(): Promise<void> {
    isAway = true;
    for (let isLost = true; isLost && !isClosed; await pause(PAUSE_MS, undefined, { ref: false }))
      isLost = await commit().then(() => false, isUndecided);
    isAway = false;
  }

  return {
    isAway: () => isAway,

    /** Runs work that commits. */
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (isAway) throw new Unavailable(WAITS_FOR_STANDBY);
      try {
        return await work();
      } catch (error) {
        if (error instanceof StandbyAway && !isAway) void waitUntilBack();
        throw error;
      }
    },

    close(): void {
      isClosed = true;
    },
  };
}
