/**
 * Text that must not be seen: it prints `***` wherever it is printed, joined or encoded. `reveal()` is the one way to
 * the text, so that a search for it finds every place where a secret comes out. Any object with these methods is one,
 * so that callers of the ES modules and of the CommonJS ones can share adapters.
 */
export interface Secret {
  /** The text itself. */
  reveal(): string;
  /** `***`. */
  toString(): string;
  /** `***`. */
  toJSON(): string;
}

/** Makes a secret of a text. */
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
