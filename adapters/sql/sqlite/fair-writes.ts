import { setImmediate as nextTurn } from 'node:timers/promises';

/** When the writes of one turn of the event loop have taken this long, the next write starts in a later turn. */
const WRITES_MS = 5;

/**
 * The returned function resolves when the holder of the only writing connection may start its transaction: at once, or
 * in the next turn of the event loop. A transaction runs within one turn. Without this, all waiting transactions would
 * run in the same turn, and no other request would be answered meanwhile. Call it while holding the connection, so that
 * writes stay in order.
 */
export function fairWrites(): () => Promise<void> {
  /** When the first write of this turn started. Null when there was none. */
  let startedAt: number | null = null;
  return async () => {
    if (startedAt !== null && performance.now() - startedAt > WRITES_MS) await nextTurn();
    if (startedAt !== null) return;
    startedAt = performance.now();
    setImmediate(() => {
      startedAt = null;
    });
  };
}
