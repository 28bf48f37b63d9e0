import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long the writes of one turn of the event loop may take together, before another may start. */
const WRITES_MS = 5;

/**
 * Resolves when the holder of the one writing connection may start its transaction: at once, or in the next turn of
 * the event loop. A transaction runs without a turn of the loop in between; without this, all waiting ones would run
 * in the same turn, and no other request would be answered meanwhile. It is asked with the connection held, so that
 * writes stay in the order in which they came.
 */
export function fairWrites(): () => Promise<void> {
  /** When the first write of this turn started; null: there was none. */
  let begun: number | null = null;
  return async () => {
    if (begun !== null && performance.now() - begun > WRITES_MS) await nextTurn();
    if (begun !== null) return;
    begun = performance.now();
    setImmediate(() => {
      begun = null;
    });
  };
}
