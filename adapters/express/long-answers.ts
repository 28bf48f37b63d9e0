import { FairQueue } from './fair-queue.js';

/** Answers with long texts that are made at the same time: while one is read from the database, another is encoded. */
const MAX_AT_ONCE = 2;
/** Answers of one organization that may wait. */
const MAX_WAITING = 256;
const MAX_WAIT_MS = 15_000;

/** Limits how many answers with long texts are in memory: two, of different organizations. The organizations take turns. */
export class LongAnswers {
  readonly #waiting = new FairQueue<() => void>();
  /** The organizations whose answers are made now. */
  readonly #running = new Set<number>();

  /**
   * Resolves when the answer can be made, to a function that must be called when it has been made. Rejects with the error
   * that `refuse` makes if it has to wait too long.
   */
  async begin(organizationId: number, refuse: () => Error): Promise<() => void> {
    if (this.#mayRun(organizationId)) this.#running.add(organizationId);
    else await this.#wait(organizationId, refuse);
    return () => {
      this.#running.delete(organizationId);
      this.#waiting.take((waiting) => this.#mayRun(waiting))?.();
    };
  }

  #mayRun(organizationId: number): boolean {
    return this.#running.size < MAX_AT_ONCE && !this.#running.has(organizationId);
  }

  #wait(organizationId: number, refuse: () => Error): Promise<void> {
    if (this.#waiting.sizeOf(organizationId) >= MAX_WAITING) throw refuse();
    return new Promise((resolve, reject) => {
      const run = (): void => {
        clearTimeout(late);
        this.#running.add(organizationId);
        resolve();
      };
      const late = setTimeout(() => {
        this.#waiting.remove(organizationId, run);
        reject(refuse());
      }, MAX_WAIT_MS);
      this.#waiting.add(organizationId, run);
    });
  }
}
