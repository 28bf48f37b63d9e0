import { Refusal } from '../errors.js';
import type { Problem } from './problem.js';

/** Refuses with every problem that there is; null is none. */
export function refuseAny(problems: readonly (Problem | null)[]): void {
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw new Refusal('invalid-request', found);
}

/** Collects what is wrong with a request, so that everything is told at once. */
export class Problems {
  readonly #found: Problem[] = [];

  add(problem: Problem): void {
    this.#found.push(problem);
  }

  /** What `read` gives, or `otherwise` with the problems of its refusal noted. */
  in<Value, Otherwise>(read: () => Value, otherwise: Otherwise): Value | Otherwise {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Refusal) || error.problems.length === 0) throw error;
      this.#found.push(...error.problems);
      return otherwise;
    }
  }

  /** Refuses if there was any. */
  refuse(): void {
    refuseAny(this.#found);
  }
}
