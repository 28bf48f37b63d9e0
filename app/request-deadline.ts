import type { WithDeadline } from '@rollcall/express';
import { type Database, isDatabaseSlow, startWithoutDeadline, withSharedDeadline } from '@rollcall/sql';

/** How long all steps of a request together may wait for PostgreSQL. */
const REQUEST_TIMEOUT_MS = 5000;

/**
 * Gives all steps of a request one deadline. With PostgreSQL each step may have to wait for a connection; with SQLite
 * only writes wait. Without waiting requests there is no deadline, because it would cost more than the answer.
 */
export function requestDeadline({ engine }: Pick<Database, 'engine'>): WithDeadline {
  if (engine === 'sqlite') return (_response, handle) => handle();
  return (response, handle) => {
    if (isDatabaseSlow()) return withSharedDeadline(REQUEST_TIMEOUT_MS, handle);
    response.once('close', startWithoutDeadline());
    handle();
  };
}
