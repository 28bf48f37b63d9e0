import { Refusal } from '../errors.js';

/** Refuses with every problem that there is; null is none. */
export function refuseAny(problems: readonly (string | null)[]): void {
  const messages = problems.filter((problem) => problem !== null);
  if (messages.length > 0) throw new Refusal('invalid-request', messages);
}

/** Collects what is wrong with a request, so that everything is told at once. */
export class Problems {
  readonly #messages: string[] = [];

  add(message: string): void {
    this.#messages.push(message);
  }

  /** What `read` gives, or `otherwise` with its refusal noted. */
  in<Value, Otherwise>(read: () => Value, otherwise: Otherwise): Value | Otherwise {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#messages.push(...error.messages);
      return otherwise;
    }
  }

  /** Refuses if there was any. */
  refuse(): void {
    refuseAny(this.#messages);
  }
}
