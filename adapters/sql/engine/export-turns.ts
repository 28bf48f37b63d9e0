import pLimit from 'p-limit';

export type ExportTurns = ReturnType<typeof createExportTurns>;

/**
 * Lets at most `slots` pieces of work run at the same time, and no more than that begin in one turn of the event loop:
 * a released slot is free in the next turn. A connection may already have received what its next piece of work needs, so
 * without that, all that wait could run one after another before any other work gets its turn. A holder no longer counts
 * after `maxHoldMs`, because it waits for its server.
 */
export function createExportTurns(slots: number, maxHoldMs = 20) {
  const limit = pLimit(slots);
  return {
    /** Resolves in the order of the calls, to a function that releases the slot. Further calls of that do nothing. */
    acquire: (): Promise<() => void> =>
      new Promise((acquired) => {
        void limit(() => hold(acquired, maxHoldMs));
      }),
  };
}

function hold(acquired: (release: () => void) => void, maxHoldMs: number): Promise<void> {
  return new Promise((release) => {
    const timer = setTimeout(release, maxHoldMs);
    acquired(() => {
      clearTimeout(timer);
      setImmediate(release);
    });
  });
}
