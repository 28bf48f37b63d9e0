/**
 * A text that must not be shown: it becomes `***` wherever it is printed, joined or encoded. Only `reveal()` returns
 * the text, so a search for `reveal` finds every place where a secret is used. Any object with these methods is a
 * secret, so that ES modules and CommonJS modules can share adapters.
 */
export interface Secret {
  /** The text itself. */
  reveal(): string;
  /** `***`. */
  toString(): string;
  /** `***`. */
  toJSON(): string;
}

/** Wraps a text as a secret. */
export const Secret: new (text: string) => Secret = class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***';
  }
};
