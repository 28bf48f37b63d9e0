import pLimit from 'p-limit';

/** A holder no longer counts after this time, because it waits for its server. */
const MAX_HOLD_MS = 20;

export interface ExportTurns {
  /** Resolves in the order of the calls, to a function that releases the slot. Further calls of that do nothing. */
  acquire(): Promise<() => void>;
}

/**
 * Lets at most `slots` pieces of work run at the same time, and no more than that begin in one turn of the event loop:
 * a released slot is free in the next turn. A connection may already have received what its next piece of work needs, so
 * without that, all that wait could run one after another before any other work gets its turn.
 */
export function createExportTurns(slots: number): ExportTurns {
  const limit = pLimit(slots);
  return {
    acquire: () =>
      new Promise((acquired) => {
        void limit(() => hold(acquired));
      }),
  };
}

function hold(acquired: (release: () => void) => void): Promise<void> {
  return new Promise((release) => {
    const timer = setTimeout(release, MAX_HOLD_MS);
    acquired(() => {
      clearTimeout(timer);
      setImmediate(release);
    });
  });
}
