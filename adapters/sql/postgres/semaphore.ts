import pLimit from 'p-limit';

/** After this a holder counts no more: its server keeps it waiting. */
const MAX_HOLD_MS = 20;

export interface Semaphore {
  /** Resolves, first come, first served, to what releases the place; it may be called again. */
  acquire(): Promise<() => void>;
}

/** At most `places` pieces of work run at the same time. */
export function createSemaphore(places: number): Semaphore {
  const limit = pLimit(places);
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
