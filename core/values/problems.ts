import { Refusal } from '../errors.js';
import type { Problem } from './problem.js';

/** Throws a `Refusal` with all problems, or returns if every entry is null. */
export function refuseAny(problems: readonly (Problem | null)[]): void {
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw new Refusal('invalid-request', found);
}

/** Collects the problems of a request, so that one refusal names them all. */
export class Problems {
  readonly #found: Problem[] = [];

  add(problem: Problem): void {
    this.#found.push(problem);
  }

  /** Returns what `read` returns. If `read` throws a refusal, keeps its problems and returns `otherwise`. */
  in<Value, Otherwise>(read: () => Value, otherwise: Otherwise): Value | Otherwise {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Refusal) || error.problems.length === 0) throw error;
      this.#found.push(...error.problems);
      return otherwise;
    }
  }

  /** Throws a `Refusal` with all problems, or returns if there are none. */
  refuse(): void {
    refuseAny(this.#found);
  }
}
