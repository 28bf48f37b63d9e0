import { FairQueue } from './fair-queue.js';

/** The time for answers in one turn of the event loop. The last one may take longer. */
const SLICE_MS = 4;

/**
 * Shares each turn of the event loop between organizations. Node would answer all requests that have arrived in one
 * turn, and meanwhile no other.
 */
export class FairTurns {
  readonly #waiting = new FairQueue<() => void>();
  /** When the first answer of this turn began; null: there was none. */
  #beganAt: number | null = null;

  /** Null: the answer can begin at once. Otherwise resolves when it is the organization's turn. */
  next(organizationId: number): Promise<void> | null {
    if (this.#waiting.size === 0 && this.#hasTime()) return null;
    return new Promise((resolve) => {
      this.#waiting.add(organizationId, resolve);
      setImmediate(this.#goOn);
    });
  }

  #hasTime(): boolean {
    if (this.#beganAt !== null) return performance.now() - this.#beganAt < SLICE_MS;
    this.#beganAt = performance.now();
    setImmediate(() => {
      this.#beganAt = null;
    });
    return true;
  }

  /** Node does what the answer does at once before it calls the next `setImmediate`, in the same turn. */
  readonly #goOn = (): void => {
    if (this.#hasTime()) this.#waiting.take()?.();
    else setImmediate(this.#goOn);
  };
}
