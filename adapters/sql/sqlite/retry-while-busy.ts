import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { traceStatement } from '../engine/tracing.js';
import { type Connection, statement } from './connection.js';
import { isBusy, translateError } from './errors.js';

const FIRST_PAUSE_MS = 5;
export const MAX_PAUSE_MS = 80;

/** Runs a statement without values, and waits until `deadline` for the lock of another program. */
export function runOrWait(connection: Connection, text: string, deadline: number): Promise<unknown> {
  return traceStatement('sqlite', text, () =>
    retryWhileBusy(() => statement(connection, text).run(), deadline),
  );
}

/** Waits for a lock with a timer, because better-sqlite3's own waiting would block the event loop. */
export async function retryWhileBusy<T>(step: () => T | Promise<T>, deadline: number): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await step();
    } catch (error) {
      if (!isBusy(error)) throw translateError(error);
      if (performance.now() + pause > deadline) {
        throw new Unavailable('The database is busy.', { cause: error });
      }
    }
    await sleep(pause);
  }
}
