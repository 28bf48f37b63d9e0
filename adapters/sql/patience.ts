import { AsyncLocalStorage } from 'node:async_hooks';

interface Shared {
  /** Milliseconds. */
  left: number;
}

const sharing = new AsyncLocalStorage<Shared>();

/**
 * Whatever `work` asks of a database, one thing after the other, it waits no longer than this many milliseconds in
 * all: else each step of a request would have a patience of its own. What does not wait for the database is free.
 */
export function withOnePatience<T>(patience: number, work: () => T): T {
  return sharing.run({ left: patience }, work);
}

/** Does one thing that waits for the database, `until` when: a time of `performance.now()`. */
export async function waiting<T>(patience: number, work: (until: number) => Promise<T>): Promise<T> {
  const shared = sharing.getStore();
  const begun = performance.now();
  try {
    return await work(begun + Math.max(Math.min(patience, shared?.left ?? patience), 0));
  } finally {
    if (shared !== undefined) shared.left -= performance.now() - begun;
  }
}
