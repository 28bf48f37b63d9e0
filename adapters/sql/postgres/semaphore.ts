import pLimit from 'p-limit';

/** A holder no longer counts after this time, because it waits for its server. */
const MAX_HOLD_MS = 20;

export interface Semaphore {
  /** Resolves in the order of the calls, to a function that releases the slot. Further calls of that do nothing. */
  acquire(): Promise<() => void>;
}

/** Lets at most `slots` pieces of work run at the same time. */
export function createSemaphore(slots: number): Semaphore {
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
      release();
    });
  });
}
