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
 */
export class StandbyWatch {
  readonly #commit: () => Promise<unknown>;
  #isAway = false;
  #isClosed = false;

  /** `commit` commits something that has to be confirmed. */
  constructor(commit: () => Promise<unknown>) {
    this.#commit = commit;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Runs work that commits. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isAway) throw new Unavailable(WAITS_FOR_STANDBY);
    try {
      return await work();
    } catch (error) {
      if (error instanceof StandbyAway && !this.#isAway) void this.#waitUntilBack();
      throw error;
    }
  }

  async #waitUntilBack(): Promise<void> {
    this.#isAway = true;
    for (let isAway = true; isAway && !this.#isClosed; await pause(PAUSE_MS, undefined, { ref: false }))
      isAway = await this.#commit().then(() => false, isUndecided);
    this.#isAway = false;
  }

  close(): void {
    this.#isClosed = true;
  }
}
