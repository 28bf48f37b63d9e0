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

  /** Null if the answer has to wait. Otherwise a function that must be called when it has been made. */
  beginNow(organizationId: number): (() => void) | null {
    if (!this.#mayRun(organizationId)) return null;
    this.#running.add(organizationId);
    return () => this.#end(organizationId);
  }

  /** As `beginNow`, but waits. Rejects with the error that `refuse` makes if it has to wait too long. */
  async begin(organizationId: number, refuse: () => Error): Promise<() => void> {
    const end = this.beginNow(organizationId);
    if (end !== null) return end;
    await this.#wait(organizationId, refuse);
    return () => this.#end(organizationId);
  }

  #end(organizationId: number): void {
    this.#running.delete(organizationId);
    this.#waiting.take((waiting) => this.#mayRun(waiting))?.();
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
